// What the page's own scripts are held to, beside the types of `tsc --checkJs`.
import js from "@eslint/js";
import globals from "globals";

const BANNED = [
  { selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]", message: "text and elements only: no HTML from strings" },
  { selector: "Property[key.name='dangerouslySetInnerHTML']", message: "text and elements only: no HTML from strings" },
];

export default [
  { ignores: ["**/node_modules/", "**/built/"] },
  js.configs.recommended,
  {
    files: ["**/page/*.mjs"],
    languageOptions: { globals: globals.browser },
    rules: {
      "no-unused-vars": ["error", { varsIgnorePattern: "^[A-Z]", args: "after-used" }],
      "no-restricted-syntax": ["error", ...BANNED],
      eqeqeq: "error",
      "prefer-const": "error",
      "no-var": "error",
      "no-shadow": "error",
      "no-new-func": "off",
    },
  },
  { files: ["**/page/service.js"], languageOptions: { sourceType: "script", globals: globals.serviceworker } },
  { files: ["**/page/keys.mjs", "**/page/post.mjs"], languageOptions: { globals: globals.worker } },
  { files: ["**/web/*.mjs", "**/node/*.mjs"], languageOptions: { globals: globals.node } },
];
