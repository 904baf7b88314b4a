// Drawings that come as trees: only what is on the list is built.
import assert from "node:assert/strict";
import { test } from "node:test";

import { allowed, drawing, partOf, partsOf, replaced } from "../../../pbem/web/page/svg.mjs";

const HOSTILE = ["<img src=x onerror=alert(1)>", "url(https://example.org/x)", "javascript:alert(1)", "translate(1 2) url(#x)", "expression(1)"];

test("an element that is not on the list is left out with all that lies in it", () => {
  for (const tag of ["script", "foreignObject", "style", "image", "use", "a", "animate", "set", "iframe", "SCRIPT", "svg:script"]) {
    assert.equal(drawing([tag, {}, ["text", {}, "x"]]), null, tag);
    assert.deepEqual(drawing(["g", {}, [tag, {}, "x"]]).props.children, null, tag);
  }
  for (const odd of [null, undefined, "text", 7, {}, [], [["g"]]]) assert.equal(drawing(odd), null);
});

test("an attribute that is not on the list is left out", () => {
  for (const name of ["style", "class", "id", "href", "xlink:href", "onclick", "onload", "onerror", "filter", "mask", "clip-path", "ref", "key", "dangerouslySetInnerHTML", "children", "__proto__"]) {
    assert.equal(allowed(name, "x"), false, name);
  }
  const { props } = drawing(["rect", { x: 1, style: "a", onclick: "b", href: "c", fill: "#ffffff" }]);
  assert.deepEqual(Object.keys(props).sort(), ["fill", "x"]);
});

test("a value that could load something is left out", () => {
  for (const value of HOSTILE) for (const name of ["fill", "d", "transform"]) assert.equal(allowed(name, value), name !== "transform" && !/[()<>]/.test(value), `${name}=${value}`);
  for (const value of [{ toString: () => "x" }, [1], true, null, undefined, () => 1]) assert.equal(allowed("x", value), false);
  for (const value of ["translate(1.5 -2e3)", "rotate(45, 1 2) scale(2)", "matrix(1 0 0 1 0 0)"]) assert.equal(allowed("transform", value), true, value);
});

test("a hostile name is text", () => {
  const made = drawing(["text", {}, HOSTILE[0]]);
  assert.equal(made.props.children, HOSTILE[0]);
  assert.equal(made.props.dangerouslySetInnerHTML, undefined);
});

test("a drawing that is nested without end costs no more than its depth", () => {
  let deep = ["g", {}];
  for (let at = 0; at < 5000; at += 1) deep = ["g", {}, deep];
  assert.ok(drawing(deep));
});

test("values of much length are judged in no more time than their bytes", () => {
  const long = `${"translate(1 ".repeat(20000)}`;
  assert.equal(allowed("transform", long), false);
});

test("parts are found, marked, replaced and cut out", () => {
  const tree = ["svg", {}, ["g", { "data-part": "poster:a" }, ["text", {}, "old"]], ["g", { "data-part": "seat:b" }]];
  assert.deepEqual([...partsOf(tree)], ["poster:a", "seat:b"]);
  const fresh = ["g", { "data-part": "poster:a" }, ["text", {}, "new"]];
  const after = replaced(tree, { "poster:a": fresh });
  assert.equal(partOf(after, "poster:a"), fresh);
  assert.equal(partOf(tree, "poster:a")[2][2], "old");
  assert.equal(partOf(tree, "nobody"), null);
  const marked = drawing(tree, (part) => (part === "seat:b" ? "can" : ""));
  assert.equal(marked.props.children[1].props.class, "can");
  assert.equal(marked.props.children[0].props.class, undefined);
});
