"""Patterns made of real names, and an independent pattern matcher, written from docs/code-query.md."""

import random
import re

SEPARATORS = [".", "::", "#", "/"]


def some(names, count, seed):
    """Patterns of every form. Each is made of one of the full names, which are lists of parts."""
    chance = random.Random(seed)
    return [pattern(chance, names) for _ in range(count)]


def pattern(chance, names):
    parts = chance.choice(names)
    leaf = part(chance, names, parts[-1])
    forms = [lambda: leaf, lambda: leaf, lambda: "**." + leaf, lambda: "." + part(chance, names, parts[0])]
    if len(parts) > 1:
        forms += [
            lambda: part(chance, names, parts[-2]) + chance.choice(SEPARATORS) + leaf,
            lambda: part(chance, names, parts[0]) + ".**." + leaf,
            lambda: escaped(parts[-2]) + ".*",
            lambda: escaped(parts[0]) + ".**",
        ]
    return chance.choice(forms)()


def part(chance, names, name):
    if len(name) < 3:
        return escaped(name)
    at = chance.randrange(1, len(name))
    head, letter, tail = escaped(name[:at]), name[at], escaped(name[at + 1 :])
    other = escaped(chance.choice(names)[-1])
    ranged = f"[{min(letter, 'a')}-{max(letter, 'a')}]" if letter.isalnum() else "?"
    return chance.choice([
        escaped(name), f"{head}*", f"*{escaped(name[at:])}", f"*{escaped(letter)}*", f"{head}?{tail}", f"{head}{ranged}{tail}",
        f"{head}[!q]*", f"{{{escaped(name)},{other}}}", f"{head}{{{escaped(letter)},{{x,{other}}}}}*",
    ])


def escaped(name):
    return re.sub(r"([*?\[\]{}\\.,#/!^:])", r"\\\1", name)


def matches(text, parts, flags=0):
    """Whether a pattern matches a full name: the last parts of the name, or the whole name if it contains
    separators."""
    return any(held(split(one), parts, flags) or glob(one, flags).fullmatch(parts[-1]) for one in choices(text))


def held(wanted, parts, flags):
    if len(wanted) > 1 and wanted[0] == "":
        return follows(wanted[1:], parts, flags)
    return any(follows(wanted, parts[at:], flags) for at in range(len(parts) + 1))


def follows(wanted, parts, flags):
    if not wanted:
        return not parts
    if wanted[0] == "**":
        return bool(parts) if len(wanted) == 1 else any(follows(wanted[1:], parts[at:], flags) for at in range(len(parts) + 1))
    return bool(parts) and bool(glob(wanted[0], flags).fullmatch(parts[0])) and follows(wanted[1:], parts[1:], flags)


def tokens(text):
    """The units of a pattern: an escaped character, a set, a separator, or one character."""
    return re.findall(r"\\.|\[[!^]?\]?(?:\\.|[^\]\\])*\]|::|.", text, re.S)


def choices(text):
    """The expansions of braces, in order."""
    pieces, depth, begin, options = tokens(text), 0, None, [[]]
    for at, piece in enumerate(pieces):
        depth += (piece == "{") - (piece == "}")
        if piece == "{" and depth == 1:
            begin = at
        elif piece == "}" and depth == 0 and begin is not None:
            before, after = "".join(pieces[:begin]), "".join(pieces[at + 1 :])
            return [each for option in options for each in choices(before + "".join(option) + after)]
        elif piece == "," and depth == 1:
            options.append([])
        elif begin is not None:
            options[-1].append(piece)
    return [text]


def split(text):
    parts = [""]
    for piece in tokens(text):
        if piece in SEPARATORS:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def glob(text, flags):
    shown = ""
    for piece in tokens(text):
        if piece in ("*", "?"):
            shown += ".*" if piece == "*" else "."
        elif len(piece) > 1 and piece[0] == "[":
            inner = piece[1:-1]
            refused = inner[:1] in ("!", "^")
            shown += "[" + "^" * refused + re.sub(r"([\[\]\\^])", r"\\\1", inner[refused:]) + "]"
        else:
            shown += re.escape(piece[1:] if len(piece) == 2 and piece[0] == "\\" else piece)
    return re.compile(shown, re.S | flags)
