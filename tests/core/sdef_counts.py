#!/usr/bin/env python3
"""An independent reader of scripting dictionaries, by the standard library's XML parser alone.

usage: sdef_counts.py FOLDER-OF-INCLUDES FILE...

Prints one JSON object: for each file the names that it defines. Includes are looked up in the folder by file name;
missing ones are left out. If the XML is broken, the part before the error counts. The reader shares no code with the
program that it checks. If both agree on a dictionary, either both are right, or both make the same mistake.
"""

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

INCLUDES = {"{http://www.w3.org/2001/XInclude}include", "{http://www.w3.org/2003/XInclude}include"}


def tree(data: bytes):
    """The root element, as far as the parser can read the file."""
    declared = re.match(rb"""<\?xml[^>]*encoding=["']([A-Za-z0-9._-]+)["']""", data)
    if declared and declared[1].lower() not in (b"utf-8", b"utf-16"):
        text = data.decode({b"macintosh": "mac_roman"}.get(declared[1].lower(), declared[1].decode()))
        data = re.sub(r"^<\?xml.*?\?>", "", text, flags=re.S).encode()
    try:
        return ET.fromstring(data)
    except ET.ParseError:
        return partial(data)


def partial(data: bytes):
    """The root element, as far as the parser got before an error."""
    reader = ET.XMLPullParser(["start"])
    root = None
    try:
        reader.feed(data)
    except ET.ParseError:
        pass
    try:
        for _, element in reader.read_events():
            root = element if root is None else root
    except ET.ParseError:
        pass
    return root


def condition(predicate: str):
    """A predicate of XPath as an expression of Python over `tag` and `attributes`."""
    text = re.sub(r"self::([\w-]+)", r"(tag == '\1')", predicate)
    text = re.sub(r"@([\w-]+)\s*!=\s*(['\"])(.*?)\2", r"(attributes.get('\1') not in (None, '\3'))", text)
    text = re.sub(r"@([\w-]+)\s*=\s*(['\"])(.*?)\2", r"(attributes.get('\1') == '\3')", text)
    text = re.sub(r"@([\w-]+)", r"('\1' in attributes)", text)
    return lambda element: eval(text, {}, {"tag": element.tag, "attributes": element.attrib})


def selected(root, pointer: str):
    """The elements that an xpointer chooses below a root."""
    path = re.fullmatch(r"\s*xpointer\((.*)\)\s*", pointer, flags=re.S)[1]
    found = None
    for name, predicate in re.findall(r"/(node\(\)|\*|[\w-]+)((?:\[[^\]]*\])?)", path):
        candidates = [root] if found is None else [child for each in found for child in each]
        found = [each for each in candidates if name in ("*", "node()") or each.tag == name]
        if predicate:
            found = list(filter(condition(predicate[1:-1]), found))
    return found or []


def children(element, folder: Path, open_files=()):
    """The children of an element; included elements stand in place of their includes."""
    for child in element:
        if child.tag not in INCLUDES:
            yield child
            continue
        name = (child.get("href") or "").rsplit("/", 1)[-1].replace("%20", " ")
        path = folder / name
        if not name or not path.is_file() or name in open_files:
            continue
        root = tree(path.read_bytes())
        chosen = selected(root, child.get("xpointer")) if child.get("xpointer") else [root]
        holder = ET.Element("holder")
        holder.extend(chosen)
        yield from expanded(holder, folder, (*open_files, name))


def expanded(element, folder: Path, open_files=()):
    """The children of an element. If they contain a whole pasted dictionary, the children of that dictionary stand in
    its place."""
    for child in children(element, folder, open_files):
        if child.tag == "dictionary":
            yield from expanded(child, folder, open_files)
        else:
            yield child


def terms(element, folder: Path):
    """Every term of a dictionary, from all suites."""
    for child in expanded(element, folder):
        if child.tag == "suite":
            yield from terms(child, folder)
        else:
            yield child


def members(element, tag: str, key: str):
    return [each.get(key).strip() for each in element.iter(tag) if (each.get(key) or "").strip()]


def summary(data: bytes, folder: Path):
    root = tree(data)
    found = list(terms(root, folder)) if root is not None and root.tag == "dictionary" else []
    ids = {each.get("id"): each.get("name") for each in found if each.get("id") and each.get("name")}
    classes = {}
    definitions = [each for each in found if each.tag == "class" and each.get("name")]
    for each in definitions:
        classes.setdefault(each.get("name"), [])
    extensions = [each for each in found if each.tag == "class-extension" and each.get("extends")]
    for each in definitions + extensions:
        name = each.get("name") or each.get("extends")
        name = name if name in classes else ids.get(name, name)
        classes.setdefault(name, []).append(each)
    parents = {}
    for name, parts in classes.items():
        inherits = [ids.get(part.get("inherits"), part.get("inherits")) for part in parts if part.get("inherits")]
        parents[name] = next((parent for parent in inherits if parent != name), None)
    own = {name: [part_members(part, ids) for part in parts] for name, parts in classes.items()}
    own = {name: [set().union(*column) for column in zip(*parts)] for name, parts in own.items()}
    return {
        "classes": {name: class_summary(name, own, parents) for name in classes},
        "commands": sorted(command_summary(each) for each in found if each.tag == "command" and each.get("name")),
        "events": sorted(command_summary(each) for each in found if each.tag == "event" and each.get("name")),
        "enumerations": named(found, "enumeration", "enumerator"),
        "records": named(found, "record-type", "property"),
        "values": sorted({each.get("name") for each in found if each.tag == "value-type" and each.get("name")}),
    }


def part_members(part, ids):
    contents = [each.get("name") or "contents" for each in part.iter("contents")]
    elements = [ids.get(name, name) for name in members(part, "element", "type")]
    return set(members(part, "property", "name") + contents), set(elements)


def class_summary(name: str, own, parents):
    properties, elements = own[name]
    inherited = [set(), set()]
    seen, parent = {name}, parents[name]
    while parent in own and parent not in seen:
        seen.add(parent)
        inherited = [all_of | more for all_of, more in zip(inherited, own[parent])]
        parent = parents[parent]
    return {
        "inherits": parents[name],
        "properties": sorted(properties),
        "elements": sorted(elements),
        "inheritedProperties": sorted(inherited[0] - properties),
        "inheritedElements": sorted(inherited[1] - elements),
    }


def command_summary(command):
    code = command.get("code") or ""
    if code.startswith("0x"):
        code = bytes.fromhex(code[2:]).decode("mac_roman")
    direct = command.find("direct-parameter") is not None
    result = command.find("result") is not None
    return [command.get("name").strip(), code, direct, members(command, "parameter", "name"), result]


def named(found, tag: str, member: str):
    names = {}
    for each in found:
        if each.tag == tag and (each.get("name") or "").strip():
            names.setdefault(each.get("name").strip(), set()).update(members(each, member, "name"))
    return {name: sorted(members) for name, members in names.items()}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    json.dump({name: summary(Path(name).read_bytes(), folder) for name in sys.argv[2:]}, sys.stdout)
