import { statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Says whether changed files of a checkout still compile: a mistake that the compiler finds needs no test. */
export class TypeCheck {
  readonly #root: string;
  readonly #service: ts.LanguageService;

  constructor(root: string) {
    this.#root = root;
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
      config: unknown;
    };
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    this.#service = ts.createLanguageService({
      getScriptFileNames: () => fileNames,
      getScriptVersion: versionOf,
      getScriptSnapshot: (path) => {
        const text = ts.sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getCompilationSettings: () => options,
      getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
      fileExists: (path) => ts.sys.fileExists(path),
      readFile: (path) => ts.sys.readFile(path),
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
      realpath: (path) => ts.sys.realpath?.(path) ?? path,
    });
  }

  /** The compiler's complaints about a file, one a line; empty where it has none. */
  problemsOf(file: string): string {
    const path = join(this.#root, file);
    const found = [...this.#service.getSyntacticDiagnostics(path), ...this.#service.getSemanticDiagnostics(path)];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n');
  }
}

/** Changes with the file's content, as far as a patch that comes and goes is concerned. */
function versionOf(path: string): string {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false });
  return status === undefined ? 'absent' : `${status.mtimeNs} ${status.size}`;
}
