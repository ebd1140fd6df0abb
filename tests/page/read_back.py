"""Reads every export of made-up analyses with the programs people use and compares them.

usage: read_back.py MAKE_REPORT
"""

import csv
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import networkx
import numpy
import scipy.io


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def named_matrix(path):
    rows = read_csv(path)
    names = rows[0][1:]
    assert [row[0] for row in rows[1:]] == names, path
    return names, numpy.array([[float(x) for x in row[1:]] for row in rows[1:]])


def check_matrices(folder):
    """Theta is one matrix in three formats, bit for bit; returns the names, it and the partials."""
    names, theta = named_matrix(folder / "precision.csv")
    npy = numpy.load(folder / "precision.npy", allow_pickle=False)
    mtx = scipy.io.mmread(folder / "precision.mtx").toarray()
    assert numpy.array_equal(theta, npy) and numpy.array_equal(theta, mtx)
    assert numpy.array_equal(theta, theta.T) and numpy.linalg.eigvalsh(theta)[0] > 0
    partial_names, partial = named_matrix(folder / "partial_correlations.csv")
    assert partial_names == names
    scale = numpy.sqrt(numpy.diag(theta))
    expected = -theta / numpy.outer(scale, scale)
    numpy.fill_diagonal(expected, 1)
    assert numpy.allclose(partial, expected, rtol=1e-12, atol=0)
    return names, theta, partial


def check_edges(folder, names, theta, partial):
    rows = read_csv(folder / "edges.csv")
    edges = [dict(zip(rows[0], row)) for row in rows[1:]]
    assert len(edges) == numpy.count_nonzero(numpy.triu(theta, 1))
    for edge in edges:
        i, j = int(edge["source_index"]) - 1, int(edge["target_index"]) - 1
        assert (edge["source"], edge["target"]) == (names[i], names[j]) and i < j
        assert float(edge["theta"]) == theta[i, j]
        assert float(edge["partial_correlation"]) == partial[i, j]
    sizes = [abs(float(edge["partial_correlation"])) for edge in edges]
    assert sizes == sorted(sizes, reverse=True)
    return edges


def same_in_xml(name, other):
    """XML has no control characters: they come back as U+FFFD."""
    replaced = "".join("\ufffd" if (ord(c) < 32 and c not in "\t\n\r") or c in "\ufffe\uffff" else c
                       for c in name)
    return replaced == (other or "")


def from_links(data):
    """networkx 3.6 looks for "edges" by default; before 3.4 there was no argument for it."""
    try:
        return networkx.node_link_graph(data, edges="links")
    except TypeError:
        return networkx.node_link_graph(data)


def check_graph(graph, id_of, same, names, edges, communities):
    """`graph` as networkx read it has these names, communities and edge numbers."""
    assert not graph.is_directed() and not graph.is_multigraph()
    assert graph.number_of_nodes() == len(names) and graph.number_of_edges() == len(edges)
    for i, name in enumerate(names):
        node = graph.nodes[id_of(i)]
        assert same(name, node.get("name", "")), (name, node)
        assert node["community"] == communities[i]
    for edge in edges:
        i, j = int(edge["source_index"]) - 1, int(edge["target_index"]) - 1
        data = graph.edges[id_of(i), id_of(j)]
        for key, text in edge.items():
            if key in data:
                assert float(data[key]) == float(text), (key, edge, data)
        assert {"theta", "partial_correlation"} <= data.keys()
        assert ("share" in edge) == ("share" in data)


def check_nodes(folder, names, communities, graph):
    """networkx measures the nodes as nodes.csv does."""
    rows = read_csv(folder / "nodes.csv")
    nodes = [dict(zip(rows[0], row)) for row in rows[1:]]
    assert [node["variable"] for node in nodes] == names
    for _, _, data in graph.edges(data=True):
        data["length"] = 1 / abs(data["partial_correlation"])
    closeness = networkx.closeness_centrality(graph, distance="length")
    between = networkx.betweenness_centrality(graph, weight="length", normalized=False)
    for i, node in enumerate(nodes):
        links = [(j, data["partial_correlation"]) for _, j, data in graph.edges(i, data=True)]
        expected = {"strength": sum(abs(w) for _, w in links),
                    "expected_influence": sum(w for _, w in links),
                    "bridge_strength": sum(abs(w) for j, w in links
                                           if communities[j] != communities[i]),
                    "closeness": closeness[i], "betweenness": between[i]}
        for key, value in expected.items():
            assert abs(float(node[key]) - value) < 1e-9, (key, node, value)
        assert float(node["predictability"]) <= 1


def check_readers(folder, names, theta, edges):
    """read_results.py and, where there is R, read_results.R beside the results."""
    spec = importlib.util.spec_from_file_location("read_results", folder / "read_results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    results = module.read()
    assert results["names"] == names and numpy.array_equal(results["precision"], theta)
    assert [edge["source"] for edge in results["edges"]] == [edge["source"] for edge in edges]
    assert len(results["pairs"]) == len(names) * (len(names) - 1) // 2
    said = subprocess.run([sys.executable, str(folder / "read_results.py")], check=True, capture_output=True, encoding="utf-8").stdout
    assert said.startswith(f"{len(names)} variables, {len(edges)} edges"), said
    if shutil.which("Rscript"):
        said = subprocess.run(["Rscript", "--vanilla", str(folder / "read_results.R")], check=True, capture_output=True, encoding="utf-8", errors="replace").stdout
        assert said.startswith(f"{len(names)} variables, {len(edges)} edges"), said


def check_pictures(folder, names, edges):
    """graph.svg is XML with a mark for each variable; the other two begin and end as they must."""
    svg = xml.etree.ElementTree.parse(folder / "graph.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert len(svg.findall(space + "circle")) + len(svg.findall(space + "polygon")) == len(names)
    assert len(svg.findall(space + "line")) <= len(edges) + 2
    pdf, png = (folder / "graph.pdf").read_bytes(), (folder / "graph.png").read_bytes()
    assert pdf.startswith(b"%PDF-1.4") and pdf.endswith(b"%%EOF\n")
    assert png.startswith(b"\x89PNG") and png.endswith(b"IEND\xaeB`\x82")


def check(folder):
    names, theta, partial = check_matrices(folder)
    edges = check_edges(folder, names, theta, partial)
    rows = read_csv(folder / "communities.csv")[1:]
    assert [row[0] for row in rows] == names
    communities = [int(row[2]) for row in rows]
    check_graph(networkx.read_graphml(folder / "graph.graphml"), lambda i: f"n{i}", same_in_xml,
                names, edges, communities)
    data = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
    graph = from_links(data)
    check_graph(graph, lambda i: i, str.__eq__, names, edges, communities)
    check_nodes(folder, names, communities, graph)
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["edges"] == len(edges) and summary["variables"] == len(names)
    assert summary["communities"] == max(communities)
    check_readers(folder, names, theta, edges)
    check_pictures(folder, names, edges)
    print(f"{folder.name}: {len(names)} variables, {len(edges)} edges, equal in all files")


def main():
    with tempfile.TemporaryDirectory() as work:
        for case in ["small", "medium", "hostile", "empty"]:
            folder = pathlib.Path(work) / case
            subprocess.run([sys.argv[1], case, str(folder)], check=True, stdout=subprocess.DEVNULL)
            check(folder)


main()
