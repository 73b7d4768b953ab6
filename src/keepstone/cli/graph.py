"""The commands of the graph: how memories hang together, seen and drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..api.open import opened
from ..lib.limits import EXPLORE_DEPTH, EXPLORE_LIMIT, EXPLORE_MOST, LINK_SHOWN, LISTING_LIMIT_MAX
from ..model.hit import as_object, edge_object, markdown_line
from ..model.relationship import MANUAL, RELATED_TO, RELATIONS, SUPERSEDES, TYPES, Edge, as_dot, require_type
from ..model.render import headline
from . import output
from .options import json_option, project_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..api.types import Subgraph
    from ..model.hit import Hit

all_option = click.option("--all", "everything", is_flag=True, help="Every project, not only this one.")
depth_option = click.option(
    "--depth", type=click.IntRange(1, EXPLORE_DEPTH), default=1, show_default=True, help="How many steps away."
)
limit_option = click.option(
    "--limit", type=click.IntRange(1, EXPLORE_MOST), default=EXPLORE_LIMIT, show_default=True, help="Memories at most."
)
min_weight_option = click.option(
    "--min-weight",
    type=click.FloatRange(0, 1),
    default=LINK_SHOWN,
    show_default=True,
    metavar="WEIGHT",
    help="Minimum weight; 0 includes co-occurrence only.",
)
only_option = click.option("--only", "types", multiple=True, metavar="TYPE", help="Along these; may be given again.")


@click.group()
def graph() -> None:
    """How memories hang together: what came of what, what replaces or contradicts what, what is about the same.

    \b
    references    both touch the same code          related_to    about the same concept, or of one session
    caused_by     is the consequence of             contradicts   can't both hold
    supersedes    replaces                          similar_to    says nearly the same
    depends_on    needs the other to hold           derived_from  was made of

    Most is found by the worker, within seconds after a memory is stored, by the files, symbols and concepts that two
    memories share, by what they mean, by their session and their time. A file counts that is there in the project. The
    rest is yours to draw.
    """


@graph.command()
@click.argument("source", metavar="ID")
@click.argument("target", metavar="OTHER-ID")
@click.option("--type", "type", default=RELATED_TO, show_default=True, help=f"One of {', '.join(TYPES)}.")
@click.option("--notes", default="", help="Why, for who looks at it later.")
@json_option
def relate(source: str, target: str, type: str, notes: str, as_json: bool) -> None:
    """Say what a memory is to another: ID caused_by OTHER-ID.

    What is superseded is recalled no more; `keepstone restore` brings it back.

    Example: keepstone graph relate 3fa2c1 77ab03 --type caused_by --notes "the N+1 queries came with lazy loading"
    """
    memory = opened()
    new = memory.graph.relate(source, target, type, notes)
    ends = memory.get((source, target))
    drawn = Edge(ends[0].memory.id, ends[1].memory.id, require_type(type), MANUAL, 1.0, notes or None)
    if as_json:
        output.objects({**edge_object(drawn), "new": new})
        return
    output.lines(f"{'Noted' if new else 'Known already'}: {headline(ends[0].memory)} ({ends[0].short_id})")
    output.lines(f"{RELATIONS[drawn.type][0]}: {headline(ends[1].memory)} ({ends[1].short_id})", indent="  ")
    _tell_archived(ends)


@graph.command()
@click.argument("one", metavar="ID")
@click.argument("other", metavar="OTHER-ID")
@click.option("--type", "type", default="", help="Only this relationship; all of the two without it.")
@json_option
def unrelate(one: str, other: str, type: str, as_json: bool) -> None:
    """Say that two memories do not hang together; it is not found again."""
    memory = opened()
    gone = memory.graph.unrelate(one, other, type)
    if as_json:
        output.objects({"removed": gone})
        return
    output.lines(f"Gone: {', '.join(gone)}.")
    if SUPERSEDES in gone:
        _tell_archived(memory.get((one, other)))


def _tell_archived(hits: Iterable[Hit]) -> None:
    for hit in hits:
        if hit.memory.status == "archived":
            output.lines(f"Recalled no more: {headline(hit.memory)} (keepstone restore {hit.short_id})")


@graph.command()
@click.argument("topic", nargs=-1, required=True)
@depth_option
@limit_option
@only_option
@min_weight_option
@all_option
@project_option
@json_option
def explore(
    topic: tuple[str, ...],
    depth: int,
    limit: int,
    types: tuple[str, ...],
    min_weight: float,
    everything: bool,
    project: str,
    as_json: bool,
) -> None:
    """What is known around a topic: what a search finds, and what hangs together with it.

    Example: keepstone graph explore "database performance" --depth 2
    """
    words = " ".join(topic)
    memory = opened(project)
    found = memory.graph.explore(
        words, depth=depth, limit=limit, types=types, min_weight=min_weight, everything=everything
    )
    _show(found, as_json)


@graph.command()
@click.argument("memory_id", metavar="ID")
@depth_option
@limit_option
@only_option
@min_weight_option
@all_option
@json_option
def related(
    memory_id: str, depth: int, limit: int, types: tuple[str, ...], min_weight: float, everything: bool, as_json: bool
) -> None:
    """What hangs together with a memory; also what was superseded, which is recalled no more."""
    found = opened().graph.related(
        memory_id, depth=depth, limit=limit, types=types, min_weight=min_weight, everything=everything
    )
    _show(found, as_json)


@graph.command()
@click.argument("source", metavar="ID")
@click.argument("target", metavar="OTHER-ID")
@min_weight_option
@all_option
@json_option
def path(source: str, target: str, min_weight: float, everything: bool, as_json: bool) -> None:
    """A shortest way from one memory to another."""
    found = opened().graph.path(source, target, min_weight=min_weight, everything=everything)
    if as_json:
        output.objects(_object(found))
        return
    for number, hit in enumerate(found.nodes):
        if number:
            step = found.edges[number - 1]
            output.lines(_says(step, found.nodes[number - 1].memory.id), indent="  ")
        output.lines(markdown_line(hit))
    if not found.nodes:
        click.echo("Nothing leads from one to the other.", err=True)


@graph.command()
@all_option
@project_option
@json_option
def overview(everything: bool, project: str, as_json: bool) -> None:
    """The communities: memories that hang together more than with others, with the most central of each.

    They are found once a day; `keepstone worker run-all` finds them now.
    """
    found = opened(project).graph.overview(everything=everything)
    if as_json:
        output.objects(
            [{"community": one.name, "size": one.size, "central": list(map(as_object, one.central))} for one in found]
        )
        return
    for one in found:
        output.lines(f"{one.name}: {output.counted(one.size, 'memory', 'memories')}", colour="cyan")
        for hit in one.central:
            output.lines(markdown_line(hit), indent="  ")
    if not found:
        click.echo(
            "No communities here yet: `keepstone worker run-all` finds them where enough memories hang together.",
            err=True,
        )


@graph.command()
@click.option("--limit", type=click.IntRange(1, LISTING_LIMIT_MAX), default=LISTING_LIMIT_MAX, help="Memories a page.")
@click.option(
    "--offset", type=click.IntRange(0, 10**9), default=0, help="From which on, in the order in which they came."
)
@click.option("--dot", "as_dot_", is_flag=True, help="For Graphviz, instead of JSON.")
@click.option("--html", type=click.Path(dir_okay=False), metavar="FILE", help="A page for a browser, in one file.")
@click.option("--force", is_flag=True, help="Write over a page that is there.")
@all_option
@project_option
def export(
    limit: int, offset: int, as_dot_: bool, html: str | None, force: bool, everything: bool, project: str
) -> None:
    """The graph as JSON: a page of memories, and the relationships that lead from them. All pages are the whole.

    With --html as one file to look at in a browser, that needs no network: search, zoom, filter, click a memory.

    Example: keepstone graph export --html graph.html
    """
    if html:
        if as_dot_ or limit != LISTING_LIMIT_MAX or offset:
            raise click.UsageError("--html draws all: give --dot, --limit and --offset without it")
        shown, total = opened(project).graph.draw(html, everything=everything, force=force)
        of_all = f" of {total:,}, the newest," if shown < total else ""
        output.lines(f"Drew {shown:,}{of_all} memories: {html}")
        return
    found = opened(project).graph.graph(limit=limit, offset=offset, everything=everything)
    if as_dot_:
        output.lines(as_dot([(hit.memory.id, headline(hit.memory)) for hit in found.nodes], found.edges))
    else:
        output.objects({**_object(found), "total": found.total, "limit": limit, "offset": offset})


def _object(found: Subgraph) -> dict[str, Any]:
    return {
        "seeds": found.seeds,
        "nodes": [as_object(hit) for hit in found.nodes],
        "edges": [edge_object(edge) for edge in found.edges],
    }


def _says(edge: Edge, one: str) -> str:
    """What a relationship is, seen from one of its ends, and how it is known."""
    how = "drawn by hand" if edge.method == MANUAL else f"{edge.method} {edge.weight:.2f}"
    notes = f": {edge.notes}" if edge.notes else ""
    return f"{RELATIONS[edge.type][edge.target == one]} ({how}){notes}"


def _show(found: Subgraph, as_json: bool) -> None:
    """Each memory, and beneath it what it is to those that are shown too; each relationship once."""
    if as_json:
        output.objects(_object(found))
        return
    short = {hit.memory.id: hit.short_id for hit in found.nodes}
    told: set[Edge] = set()
    for hit in found.nodes:
        output.lines(markdown_line(hit))
        for edge in found.edges:
            if hit.memory.id in (edge.source, edge.target) and edge not in told:
                told.add(edge)
                output.lines(f"{short[edge.other(hit.memory.id)]}: {_says(edge, hit.memory.id)}", indent="    ")
    if not found.nodes:
        click.echo("Nothing is known of that.", err=True)


COMMANDS: tuple[Any, ...] = (graph,)
