"""Prints the results of a run, and makes docs/peers.md and its pictures from them."""

from pathlib import Path
from string import Template
from xml.sax.saxutils import escape

from tasks import TASKS

ROOT = Path(__file__).resolve().parents[3]
PAGE, PICTURES = ROOT / "docs/peers.md", ROOT / "docs/pictures"
US = "iac-mcp"

SHOWN = {
    "airmcp": "AirMCP",
    "apple-mcp": "apple-mcp",
    "kip-d": "kip-d/omnifocus-mcp",
    "jsavin": "jsavin/iac-mcp",
    "iac-mcp+omnifocus": "iac-mcp with the plugin omnifocus",
}
# The columns of the first table: the key, the title, and the number of decimals.
COLUMNS = [
    ("start_ms", "start to first answer, ms", 0),
    ("list_ms", "first `tools/list`, ms", 1),
    ("list_bytes", "bytes of `tools/list`", 0),
    ("tools", "tools", 0),
    ("instructions_bytes", "instructions, bytes", 0),
    ("simple_ms", "a simple call, ms", 1),
    ("memory_start", "memory at start, MB", 0),
    ("memory_end", "after the calls, MB", 0),
]
# The columns in which less is better. APART: servers left out of a column, because they have no tools to list, ask no
# app, or reuse their last answer.
LESS = ["start_ms", "list_bytes", "simple_ms", "memory_end"]
APART = {"jsavin": ["list_bytes"], "server-filesystem": ["simple_ms", "memory_end"], "kip-d": ["simple_ms"]}
TASK_LESS = [("calls", "calls", 0), ("events", "Apple events", 0), ("sent", "bytes sent", 0), ("text", "bytes of text", 0), ("seconds", "s", 2)]


def shown(name):
    return SHOWN.get(name, name)


def number(value, digits=0):
    return "" if value is None else f"{value:,.{digits}f}"


def done(task):
    return task["verdict"] in ("right", "and others")


def first_table(servers):
    lines = ["| server | version | " + " | ".join(title for _, title, _ in COLUMNS) + " |", "| --- | --- |" + " ---: |" * len(COLUMNS)]
    for name, result in servers.items():
        if "refused" not in result:
            cells = [number(result.get(key), digits) for key, _, digits in COLUMNS]
            lines.append(f"| {shown(name)} | {result['version']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def task_tables(servers):
    parts = []
    for task in TASKS:
        lines = [f"### {task.title[0].upper()}{task.title[1:]}", ""]
        lines.append("| server | calls | bytes sent | bytes received | of it text | Apple events | s | questions | answer |")
        lines.append("| --- |" + " ---: |" * 7 + " --- |")
        for name, result in servers.items():
            if made := result.get("tasks", {}).get(task.name):
                lines.append(f"| {shown(name)} | {row(made)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def row(made):
    if made["verdict"] == "refused":
        return f"{made['calls']} | {made['sent']:,} | | | | | | an error, see below"
    digits = 2 if made["seconds"] < 10 else 0
    answer = {"and others": "right, with others to sort out"}.get(made["verdict"], made["verdict"])
    figures = [number(made[key]) for key in ("calls", "sent", "received", "text", "events")]
    return " | ".join([*figures, number(made["seconds"], digits), str(made["questions"]), answer])


def better(servers):
    """Lists the figures in which another server is ahead of this one, in this run."""
    found = []
    titles = {key: (title, digits) for key, title, digits in COLUMNS}
    for key in LESS:
        title, digits = titles[key]
        found += ahead("", title, digits, {name: result.get(key) for name, result in servers.items() if key not in APART.get(name, ())})
    for task in TASKS:
        able = {name: made for name, result in servers.items() if (made := result.get("tasks", {}).get(task.name)) and done(made)}
        for key, title, digits in TASK_LESS:
            found += ahead(task.title, title, digits, {name: made[key] for name, made in able.items()})
    head = ["| task | figure | best server | there | this server |", "| --- | --- | --- | ---: | ---: |"]
    return "\n".join(head + found) if found else "In no figure of this run."


def ahead(task, title, digits, figures):
    figures = {name: figure for name, figure in figures.items() if figure is not None}
    if US not in figures:
        return []
    best = min(figures, key=figures.get)
    # A difference of a tenth is within what one machine shows for the same program run twice.
    if figures[best] >= 0.9 * figures[US]:
        return []
    return [f"| {task} | {title} | {shown(best)} | {number(figures[best], digits)} | {number(figures[US], digits)} |"]


def errors(servers):
    found = []
    for name, result in servers.items():
        reasons = {"start": result.get("refused"), "a simple call": result.get("simple_refused"), "the calls before memory": result.get("memory_refused")}
        reasons |= {task.title: made.get("why") for task in TASKS if (made := result.get("tasks", {}).get(task.name)) and not done(made)}
        found += [f"| {shown(name)} | {what} | `{first_words(why)}` |" for what, why in reasons.items() if why]
    return "\n".join(["| server | at | its words |", "| --- | --- | --- |", *found]) if found else "No server answered with an error."


def first_words(why):
    """Shortens an error to what is independent of the machine, and fits it into a table."""
    why = " ".join(why.split()).replace("|", "/").replace("`", "'")
    return why if len(why) <= 160 else why[:160].rsplit(" ", 1)[0] + " …"


def show(results):
    """Prints the figures as text for a person at a terminal."""
    for name, result in results["servers"].items():
        print(shown(name), *(f"{title.replace('`', '')}: {number(result.get(key), digits)}; " for key, title, digits in COLUMNS if key in result))
        for key in ("refused", "simple_refused", "memory_refused"):
            if key in result:
                print(f"  {key}: {result[key]}")
        for task, made in result.get("tasks", {}).items():
            print(f"  {task:8} {made['calls']} calls {made['events']} events {made['seconds']:.2f} s {made['received']} bytes: {made['verdict']}", made.get("why", ""))


def write(results):
    servers, machine = results["servers"], results["machine"]
    text = Template((Path(__file__).parent / "page.txt").read_text()).substitute(
        machine=f"{machine['processors']} processors and {machine['system']}",
        load=f"{machine['load']:.1f}",
        build="an optimised build of this server" if machine["optimised"] else "a debug build of this server, which takes several times as long",
        each=f"the median of {results['rounds']} runs" if results["rounds"] > 1 else "one run",
        calls=f"{results['calls']:,}",
        first=first_table(servers),
        tasks=task_tables(servers),
        better=better(servers),
        errors=errors(servers),
    )
    PAGE.write_text(text)
    draw(servers)


INK = {"#24292f": "text", "#ffffff": "back", "#0b5c8a": "ours", "#8794a1": "theirs", "#c9d1d9": "edge"}
DARK = """<style>
  svg { --back: #ffffff; --text: #24292f; --ours: #0b5c8a; --theirs: #8794a1; --edge: #c9d1d9; }
  @media (prefers-color-scheme: dark) { svg { --back: #0f141a; --text: #e3e8ee; --ours: #6cc7f5; --theirs: #77869a; --edge: #303a46; } }
</style>"""


def draw(servers):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {
        "svg.fonttype": "none",
        "svg.hashsalt": "peers",
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.titlesize": 10,
        "text.color": "#24292f",
        "axes.labelcolor": "#24292f",
        "axes.edgecolor": "#c9d1d9",
        "xtick.color": "#24292f",
        "ytick.color": "#24292f",
    }
    started = {name: result for name, result in servers.items() if "start_ms" in result}
    panels = [
        ("start to first answer, ms", {name: result["start_ms"] for name, result in started.items()}),
        ("bytes of tools/list", {name: result["list_bytes"] for name, result in started.items() if result["tools"]}),
        ("memory at start, MB", {name: result["memory_start"] for name, result in started.items()}),
        ("a simple call, ms", {name: result["simple_ms"] for name, result in started.items() if "simple_ms" in result}),
    ]
    picture("peers-start", panels, "What each server costs before it does something", "Bars for each server: start, tools, memory and one call.")
    panels = []
    for task in TASKS:
        made = {name: result["tasks"][task.name] for name, result in servers.items() if task.name in result.get("tasks", {})}
        panels.append((f"{task.title}, s", {name: one["seconds"] for name, one in made.items() if done(one)}))
    picture("peers-tasks", panels, "Seconds for each task", "Bars for each server that can do a task, on a Mac whose apps take their measured time.")


def picture(name, panels, title, words):
    from io import StringIO

    import matplotlib.pyplot as plt

    panels = [panel for panel in panels if panel[1]]
    rows = (len(panels) + 1) // 2
    most = max(len(bars) for _, bars in panels)
    figure, axes = plt.subplots(rows, 2, figsize=(11, rows * (0.9 + 0.27 * most)), layout="constrained")
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    for axis, (label, bars) in zip(axes.flat, panels):
        order = sorted(bars, key=bars.get, reverse=True)
        drawn = axis.barh([shown(one) for one in order], [bars[one] for one in order], color=["#0b5c8a" if one.startswith(US) else "#8794a1" for one in order])
        axis.bar_label(drawn, labels=[number(bars[one], 2 if bars[one] < 2 else 1 if bars[one] < 20 else 0) for one in order], padding=3, color="#24292f")
        axis.set_title(label, loc="left", color="#24292f")
        axis.margins(x=0.15)
        axis.xaxis.set_visible(False)
        axis.spines[["top", "right", "bottom"]].set_visible(False)
    made = StringIO()
    figure.savefig(made, format="svg", metadata={"Date": None, "Creator": None, "Title": title, "Description": words})
    plt.close(figure)
    text = made.getvalue()
    for colour, use in INK.items():
        text = text.replace(colour, f"var(--{use})")
    text = text.replace("</title>", f"</title>\n <desc>{escape(words)}</desc>", 1)
    (PICTURES / f"{name}.svg").write_text(text.replace("<defs>", DARK + "\n<defs>", 1))
