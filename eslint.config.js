import tseslint from "typescript-eslint";

const folders = ["src", "test", "bin", "bench", "faults", "fuzz", "screenshots"];
const typeScript = [
  "*.ts",
  "console/**/*.{ts,tsx}",
  "clients/typescript/src/**/*.ts",
  ...folders.map((folder) => `${folder}/**/*.ts`),
];
const maximumFunctionLines = { max: 60, skipBlankLines: true, skipComments: true };

const namedExportsOnly = { selector: "ExportDefaultDeclaration", message: "Named exports only." };
/** The API's document says what calls answer (console/src/api/client.ts). */
const castAnswers = ["TSAsExpression > ", "TSAsExpression > AwaitExpression > "].map((where) => ({
  selector: `${where}CallExpression[callee.name=/^(callApi|getTagged|putTagged|postTagged|useList|useTagged)$/]`,
  message: "Name the endpoint: its answer has the type of the API's document.",
}));

export default tseslint.config(
  // The types of the client API are generated.
  {
    ignores: [
      "**/dist/**",
      "node_modules/**",
      "coverage/**",
      "data/**",
      "demo-data/**",
      "console/src/pages/code/samples/**",
      "clients/typescript/src/api-types.ts",
    ],
  },
  ...tseslint.configs.strictTypeChecked.map((config) => ({
    ...config,
    files: typeScript,
  })),
  {
    files: typeScript,
    languageOptions: {
      parserOptions: {
        project: ["./tsconfig.json", "./console/tsconfig.json", "./clients/typescript/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/require-await": "off",
      eqeqeq: "error",
      "no-console": "error",
      "no-restricted-syntax": ["error", namedExportsOnly],
    },
  },
  {
    files: ["src/**/*.ts", "console/src/**/*.{ts,tsx}", "clients/typescript/src/**/*.ts"],
    rules: {
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", maximumFunctionLines],
      complexity: ["error", 16],
    },
  },
  {
    files: ["console/src/**/*.{ts,tsx}"],
    rules: { "no-restricted-syntax": ["error", namedExportsOnly, ...castAnswers] },
  },
  // A catalogue is data.
  { files: ["console/src/texts/{en,fa}.ts"], rules: { "max-lines": "off" } },
  {
    files: ["src/cli/**/*.ts", "bench/**/*.ts", "faults/**/*.ts", "fuzz/run.ts", "screenshots/run.ts"],
    rules: { "no-console": "off" },
  },
  { files: ["**/*.config.ts", "*.config.js"], rules: { "no-restricted-syntax": "off" } },
);
