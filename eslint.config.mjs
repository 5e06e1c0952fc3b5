import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * Who may import whom (README, "The map of the house"): arrows point down. A folder may import itself and what stands
 * before it in its row, and nothing else of ours.
 */
const arrows = {
  core: [],
  journal: ['core'],
  deadlines: ['core', 'journal'],
  decisions: ['core', 'journal'],
  bridge: ['core', 'journal', 'deadlines', 'decisions'],
  tools: ['core', 'journal', 'deadlines', 'decisions', 'bridge'],
  gateway: ['core', 'journal', 'deadlines', 'decisions', 'bridge'],
  pipelines: ['core', 'journal', 'deadlines', 'decisions', 'bridge'],
  editor: ['core', 'journal', 'deadlines', 'decisions', 'bridge', 'tools', 'gateway', 'pipelines'],
};

const vscodeOnlyInEditor = {
  name: 'vscode',
  message: 'Only src/editor (and extension.ts, which wires it) knows VS Code.',
};

const layerRules = Object.entries(arrows).map(([folder, below]) => {
  const above = Object.keys(arrows).filter((other) => other !== folder && !below.includes(other));
  const patterns = [
    ...above.map((other) => ({
      regex: `^(\\.\\./)+${other}/`,
      message: `${folder} stands below or beside ${other}: arrows point down.`,
    })),
    { regex: '^(\\.\\./)+extension', message: 'Nothing imports extension.ts.' },
  ];
  return {
    files: [`src/${folder}/**/*.ts`],
    rules: {
      'no-restricted-imports': ['error', { patterns, ...(folder === 'editor' ? {} : { paths: [vscodeOnlyInEditor] }) }],
    },
  };
});

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/', 'test/host/node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './src/webview/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-empty-function': 'off',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'setTimeout', message: 'Take the injected Clock (core/clock.ts).' },
        { name: 'setInterval', message: 'Take the injected Clock (core/clock.ts).' },
      ],
    },
  },
  ...layerRules,
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly', Buffer: 'readonly' } },
  },
);
