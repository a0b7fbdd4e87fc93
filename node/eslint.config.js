import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["build/"] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["eslint.config.js"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      // A number in a text is a number.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // Tests of node:test are promises that its runner awaits.
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "describe", "it"] }] },
      ],
    },
  },
  // The preload is CommonJS, whose imports are these.
  { files: ["**/*.cts"], rules: { "@typescript-eslint/no-require-imports": "off" } },
  { files: ["eslint.config.js"], extends: [tseslint.configs.disableTypeChecked] },
);
