import { join } from "node:path";
import { type Node, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import { API, type Checker, type Symbol as TsSymbol } from "typescript/unstable/sync";
import { NotAnalysable } from "./values.ts";

const root = join(import.meta.dirname, "../../..");

/** The compiler's view of the repository. */
export interface Program {
  checker: Checker;
  /** Source files of the repository, by their path below the root. */
  files: ReadonlyMap<string, SourceFile>;
  findSymbol(name: Node): TsSymbol | undefined;
  findDeclaration(symbol: TsSymbol): Node | undefined;
  /** Returns true for an expression of the type `Sql`. */
  isSql(node: Node): boolean;
  [Symbol.dispose](): void;
}

export function openProgram(): Program {
  const api = new API({ cwd: root });
  const project = api
    .updateSnapshot({ openProjects: [join(root, "tsconfig.json")] })
    .getProject(join(root, "tsconfig.json"));
  if (!project) throw new Error("The compiler did not open tsconfig.json.");
  const { checker, program } = project;
  const files = new Map<string, SourceFile>();
  for (const name of program.getSourceFileNames()) {
    if (!name.startsWith(`${root}/`) || name.includes("/node_modules/")) continue;
    files.set(name.slice(root.length + 1), program.getSourceFile(name)!);
  }
  const symbols = new Map<Node, TsSymbol | undefined>();
  const resolve = (name: Node): TsSymbol | undefined => {
    const shorthand = name.parent.kind === SyntaxKind.ShorthandPropertyAssignment;
    const found = shorthand
      ? checker.getShorthandAssignmentValueSymbol(name.parent)
      : checker.getSymbolAtLocation(name);
    return found && found.flags & aliasFlag ? checker.getAliasedSymbol(found) : found;
  };
  return {
    checker,
    files,
    findSymbol(name) {
      if (!symbols.has(name)) symbols.set(name, resolve(name));
      return symbols.get(name);
    },
    findDeclaration: (symbol) => (symbol.valueDeclaration ?? symbol.declarations[0])?.resolve(project),
    isSql(node) {
      const type = checker.getTypeAtLocation(node);
      const types = type?.isUnionType() ? type.getTypes() : [type];
      const found = types.filter((one) => one?.getSymbol()?.name === "Sql").length;
      if (found > 0 && found < types.length)
        throw new NotAnalysable(`\`${node.getText()}\` at ${formatPlace(node)} is SQL or something else`);
      return found > 0;
    },
    [Symbol.dispose]: () => api.close(),
  };
}

const aliasFlag = 1 << 21;

export function* walk(node: Node): Generator<Node> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) yield* walk(child);
}

/** Names a place as `path:line`. */
export function formatPlace(node: Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return `${file.fileName.slice(root.length + 1)}:${line + 1}`;
}
