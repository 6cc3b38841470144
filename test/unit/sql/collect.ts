import {
  type CallExpression,
  type Identifier,
  isCallExpression,
  isExportSpecifier,
  isIdentifier,
  isImportSpecifier,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isTaggedTemplateExpression,
  isVariableDeclaration,
  type Node,
  type ObjectLiteralExpression,
  type PropertyAssignment,
} from "typescript/unstable/ast";
import type { Symbol as TsSymbol, Type } from "typescript/unstable/sync";
import { createEvaluator, type KnownValues, NeedsCallers } from "./evaluate.ts";
import { formatPlace, type Program, walk } from "./program.ts";
import { readName } from "./syntax.ts";
import { type Bindings, NotAnalysable, writeTexts } from "./values.ts";

/** One call of `db.rows`, `db.row` or `db.run`, with everything that it can send. */
export interface Statement {
  place: string;
  /** The file of the call. */
  file: string;
  texts: string[];
  /** The declared row type. Undefined for `run`, which returns no rows. */
  row: Type | undefined;
  /** Types of the type parameters in `row`, by the id of the parameter. */
  typeArguments: ReadonlyMap<number, Type>;
}

export interface Collected {
  statements: Statement[];
  failures: { place: string; file: string; reason: string }[];
}

const methods = new Set(["rows", "row", "run", "queryWithDriverTypes"]);

/** Finds every statement in files whose path `isWanted`. */
export function collectStatements(
  program: Program,
  isWanted: (path: string) => boolean,
  known: KnownValues = new Map(),
): Collected {
  const { checker } = program;
  const evaluator = createEvaluator(program, known);
  const statements: Statement[] = [];
  const failures: Collected["failures"] = [];

  for (const [file, source] of program.files) {
    if (!isWanted(file)) continue;
    for (const node of walk(source)) {
      try {
        const from = { place: formatPlace(node), file };
        if (isDatabaseCall(node)) collect(node, new Map(), new Map(), from);
        else if (isConditionOfJob(node)) {
          const texts = writeTexts(evaluator.evaluate(node.initializer, new Map()));
          const selects = texts.map((text) => `select ${text}`);
          statements.push({ ...from, texts: selects, row: undefined, typeArguments: new Map() });
        }
      } catch (error) {
        if (!(error instanceof NotAnalysable || error instanceof NeedsCallers)) throw error;
        failures.push({ place: formatPlace(node), file, reason: error.message });
      }
    }
  }
  for (const [file, source] of program.files) {
    if (!isWanted(file)) continue;
    for (const node of walk(source))
      if (isTaggedTemplateExpression(node) && node.tag.getText() === "sql" && !evaluator.evaluated.has(node))
        failures.push({ place: formatPlace(node), file, reason: "no statement contains this `sql` text" });
  }
  return { statements, failures };

  function collect(
    call: CallExpression,
    bindings: Bindings,
    typeArguments: ReadonlyMap<number, Type>,
    from: { place: string; file: string },
  ): void {
    const name = methodName(call);
    if (name === "queryWithDriverTypes")
      throw new NotAnalysable("runs a text that is not written with `sql`");
    try {
      const texts = writeTexts(evaluator.evaluate(call.arguments[0]!, bindings));
      statements.push({ ...from, texts, row: name === "run" ? undefined : rowType(call), typeArguments });
    } catch (error) {
      if (!(error instanceof NeedsCallers)) throw error;
      for (const caller of findCalls(error.callee))
        collect(
          call,
          evaluator.bindCall(error.callee, caller, bindings),
          new Map([...typeArguments, ...readTypeArguments(error.callee, caller)]),
          { ...from, place: `${from.place}, called at ${formatPlace(caller)}` },
        );
    }
  }

  function isDatabaseCall(node: Node): node is CallExpression {
    if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return false;
    if (!methods.has(node.expression.name.text)) return false;
    const symbol = program.findSymbol(node.expression.name);
    const declaration = symbol && program.findDeclaration(symbol);
    const owner = declaration?.parent as { name?: Node } | undefined;
    return (
      owner?.name?.getText() === "Db" &&
      declaration!.getSourceFile().fileName.endsWith("/src/platform/db/db.ts")
    );
  }

  function rowType(call: CallExpression): Type | undefined {
    const declared = call.typeArguments?.[0];
    return declared ? checker.getTypeFromTypeNode(declared) : undefined;
  }

  function findCalls(callee: Node): CallExpression[] {
    const holder = isVariableDeclaration(callee.parent) ? callee.parent : callee;
    const { name } = holder as { name?: Node };
    if (!name || !isIdentifier(name)) throw new NeedsCallers(callee);
    const calls = findUses(program.findSymbol(name)).flatMap((use) => {
      const property = findDeclaredProperty(use);
      return property ? findUses(property).flatMap((one) => readMemberCall(one) ?? []) : readCall(use);
    });
    if (calls.length === 0) throw new NotAnalysable(`nothing calls the function at ${formatPlace(callee)}`);
    return calls;
  }

  /** Where a name is used, except in its declaration, imports and exports. */
  function findUses(symbol: TsSymbol | undefined): Identifier[] {
    const declaration = symbol && program.findDeclaration(symbol);
    const uses: Identifier[] = [];
    for (const [file, source] of program.files) {
      if (!symbol || !isWanted(file) || !source.text.includes(symbol.name)) continue;
      for (const node of walk(source)) {
        if (!isIdentifier(node) || node.text !== symbol.name || node.parent === declaration) continue;
        if (isImportSpecifier(node.parent) || isExportSpecifier(node.parent)) continue;
        if (program.findSymbol(node)?.id === symbol.id) uses.push(node);
      }
    }
    return uses;
  }

  /** The property of the declared type where an object has the function as a value: `{ end: store.name }`. */
  function findDeclaredProperty(use: Identifier): TsSymbol | undefined {
    const assignment = readAccess(use).parent;
    if (!isPropertyAssignment(assignment) || assignment.initializer !== readAccess(use)) return undefined;
    const given = checker.getContextualType(assignment.parent as ObjectLiteralExpression);
    const type = given && checker.getNonNullableType(given);
    return type && checker.getPropertyOfType(type, readName(assignment.name));
  }

  function readTypeArguments(callee: Node, call: CallExpression): [number, Type][] {
    const { typeParameters = [] } = callee as { typeParameters?: readonly Node[] };
    return typeParameters.map((parameter, i) => {
      const given = call.typeArguments?.[i];
      if (!given) throw new NotAnalysable(`the call at ${formatPlace(call)} does not name its row type`);
      return [checker.getTypeAtLocation(parameter)!.id, checker.getTypeFromTypeNode(given)!];
    });
  }
}

/** The property `isDue` of `job({ … })`. At run time, the conditions of all jobs become one statement. */
const isConditionOfJob = (node: Node): node is PropertyAssignment =>
  isPropertyAssignment(node) &&
  readName(node.name) === "isDue" &&
  isCallExpression(node.parent.parent) &&
  node.parent.parent.expression.getText() === "job";

/** The expression that ends with the name: `name` or `store.name`. */
const readAccess = (name: Node): Node =>
  isPropertyAccessExpression(name.parent) && name.parent.name === name ? name.parent : name;

/** The call whose callee the name is, written as `name(…)` or `store.name(…)`. */
function readCall(name: Node): CallExpression {
  const callee = readAccess(name);
  if (isCallExpression(callee.parent) && callee.parent.expression === callee) return callee.parent;
  throw new NotAnalysable(`the function is used at ${formatPlace(name)}, but not called`);
}

/** The call of a property. Undefined where an object literal gives the property its value. */
const readMemberCall = (name: Node): CallExpression | undefined =>
  isPropertyAssignment(name.parent) ? undefined : readCall(name);

const methodName = (call: CallExpression) =>
  (call.expression as unknown as { name: { text: string } }).name.text;
