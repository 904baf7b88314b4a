// A value held against one of schemas/: the part of JSON Schema that the options and setups of games are written in.

import { complain, isObject } from "./members.mjs";

const TYPES = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
};

const KEYWORDS = {
  type: (wanted, value) => (TYPES[wanted](value) ? undefined : complain(value, wanted)),
  const: (wanted, value) => (value === wanted ? undefined : complain(value, JSON.stringify(wanted))),
  enum: (wanted, value) => (wanted.includes(value) ? undefined : complain(value, wanted.map((x) => JSON.stringify(x)).join(" or "))),
  minimum: (least, value) => (!(value < least) ? undefined : complain(value, `at least ${least}`)),
  maximum: (most, value) => (!(value > most) ? undefined : complain(value, `at most ${most}`)),
  minLength: (least, value) => (typeof value !== "string" || [...value].length >= least ? undefined : complain(value, `at least ${least} characters`)),
  maxLength: (most, value) => (typeof value !== "string" || [...value].length <= most ? undefined : complain(value, `at most ${most} characters`)),
  pattern: (wanted, value) => (typeof value !== "string" || new RegExp(wanted, "u").test(value) ? undefined : complain(value, wanted)),
  minItems: (least, value) => (!Array.isArray(value) || value.length >= least ? undefined : `: ${value.length} items, expected at least ${least}`),
  maxItems: (most, value) => (!Array.isArray(value) || value.length <= most ? undefined : `: ${value.length} items, expected at most ${most}`),
  uniqueItems: (unique, value) => (!unique || !Array.isArray(value) || new Set(value).size === value.length ? undefined : ": an item stands there twice"),
  items: (item, value, root) => Array.isArray(value) && first(value.entries(), ([index, one]) => inside(index, item, one, root)),
  required: (names, value) => isObject(value) && first(names, (name) => (Object.hasOwn(value, name) ? undefined : `: the member ${name} is missing`)),
  properties: (known, value, root) =>
    isObject(value) && first(Object.entries(known), ([name, schema]) => (Object.hasOwn(value, name) ? inside(name, schema, value[name], root) : undefined)),
  additionalProperties(allowed, value, root, { properties = {} }) {
    if (allowed !== false) throw new Error("additionalProperties is false or is not there");
    return isObject(value) && first(Object.keys(value), (name) => (Object.hasOwn(properties, name) ? undefined : `: unknown member ${name}`));
  },
  oneOf(forms, value, root) {
    const fits = forms.filter((form) => !schemaFault(form, value, root));
    return fits.length === 1 ? undefined : complain(value, "one of its forms");
  },
  $ref: (name, value, root) => schemaFault(root.$defs[name.replace("#/$defs/", "")], value, root),
};
const SILENT = new Set(["$schema", "$id", "$defs", "title", "description"]);

function first(entries, judge) {
  for (const entry of entries) {
    const wrong = judge(entry);
    if (wrong) return wrong;
  }
  return undefined;
}

function inside(name, schema, value, root) {
  const wrong = schemaFault(schema, value, root);
  return wrong && `/${name}${wrong}`;
}

// What is wrong with this value; nothing if the schema allows it. A word of JSON Schema that is not above is an error, not a yes.
export function schemaFault(schema, value, root = schema) {
  for (const [word, given] of Object.entries(schema)) {
    if (SILENT.has(word)) continue;
    if (!Object.hasOwn(KEYWORDS, word)) throw new Error(`the schema word ${word} is not known here`);
    const wrong = KEYWORDS[word](given, value, root, schema);
    if (wrong) return wrong;
  }
  return undefined;
}
