/** Finds every refusal of the product: its status, its code and, for 403, its reason. */
import {
  type Expression,
  type Identifier,
  isArrowFunction,
  isCallExpression,
  isConditionalExpression,
  isFunctionDeclaration,
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type ObjectLiteralExpression,
} from "typescript/unstable/ast";
import { formatPlace, type Program, walk } from "../sql/program.ts";

/** What an expression can be: texts, or what a caller gives to `owner` as the parameter `index`. */
type Term = { texts: string[] } | { owner: Owner; index: number; render(text: string): string };

/** A function with a name, so that calls of it can be found. */
interface Owner {
  name: string;
  declaration: Node;
}

interface Parts {
  status: Term;
  code: Term;
  reason: Term;
}

/** A function that makes refusals out of its arguments, such as `conflict`. */
interface Maker extends Owner {
  parts: Parts;
}

export interface CollectedErrors {
  /** `409 last_owner`, `403 forbidden missing_permission`, each with one place that makes it. */
  errors: Map<string, string>;
  /** Places whose code is not known to the compiler. */
  unknown: string[];
}

/** Codes that many rooms use, with a reason that tells them apart. */
const withReason = ["forbidden", "reauth"];
const nothing: Term = { texts: [""] };

function findOwner(node: Node): Owner | undefined {
  if (isFunctionDeclaration(node) && node.name) return { name: node.name.text, declaration: node };
  if (!isArrowFunction(node) || !isVariableDeclaration(node.parent)) return undefined;
  return { name: node.parent.name.getText(), declaration: node.parent };
}

export function collectErrors(program: Program, isIncluded: (file: string) => boolean): CollectedErrors {
  const errors = new Map<string, string>();
  const unknown: string[] = [];
  const makers: Maker[] = [];
  const nodes = [...program.files]
    .filter(([file]) => isIncluded(file))
    .flatMap(([, file]) => [...walk(file)]);

  function readParameter(node: Expression): Term | undefined {
    if (!isIdentifier(node)) return undefined;
    const symbol = program.findSymbol(node);
    const declaration = symbol && program.findDeclaration(symbol);
    if (!declaration || !isParameterDeclaration(declaration)) return undefined;
    const owner = findOwner(declaration.parent);
    const index = (declaration.parent as { parameters?: readonly Node[] }).parameters?.indexOf(declaration);
    return owner && index !== undefined ? { owner, index, render: (text) => text } : undefined;
  }

  /** Literals of a type, such as those of a union. Undefined when the type has other values. */
  function readLiterals(node: Expression): string[] | undefined {
    const type = program.checker.getTypeAtLocation(node);
    const types = type?.isUnionType() ? type.getTypes() : type ? [type] : [];
    const texts = types.map((one) =>
      one?.isStringLiteralType() || one?.isNumberLiteralType() ? String(one.value) : undefined,
    );
    return types.length > 0 && texts.every((text) => text !== undefined) ? (texts as string[]) : undefined;
  }

  function evaluate(node: Expression | undefined): Term | undefined {
    if (!node) return undefined;
    if (isStringLiteral(node) || isNumericLiteral(node) || isNoSubstitutionTemplateLiteral(node))
      return { texts: [node.text] };
    if (isConditionalExpression(node)) {
      const both = [evaluate(node.whenTrue), evaluate(node.whenFalse)];
      if (both.every((term) => term && "texts" in term))
        return { texts: both.flatMap((term) => (term as { texts: string[] }).texts) };
    }
    if (isTemplateExpression(node) && node.templateSpans.length === 1) {
      const [span] = node.templateSpans;
      const inner = evaluate(span!.expression);
      const wrap = (text: string) => node.head.text + text + span!.literal.text;
      if (inner && "texts" in inner) return { texts: inner.texts.map(wrap) };
      if (inner) return { ...inner, render: (text) => wrap(inner.render(text)) };
    }
    const parameter = readParameter(node);
    if (parameter) return parameter;
    const literals = readLiterals(node);
    return literals && { texts: literals };
  }

  function readProperty(body: ObjectLiteralExpression, name: string): Term | undefined {
    for (const property of body.properties) {
      if (isSpreadAssignment(property) || property.name?.getText() !== name) continue;
      if (isPropertyAssignment(property)) return evaluate(property.initializer);
      if (isShorthandPropertyAssignment(property)) return evaluate(property.name as Identifier);
    }
    return undefined;
  }

  function add(node: Node, parts: Parts): void {
    const terms = [parts.status, parts.code, parts.reason];
    const open = terms.find((term) => "owner" in term);
    if (open) {
      makers.push({ ...open.owner, parts });
      return;
    }
    const [statuses, codes, reasons] = terms.map((term) => (term as { texts: string[] }).texts);
    for (const status of statuses!)
      for (const code of codes!)
        for (const reason of reasons!) {
          errors.set([status, code, reason].join(" ").trim(), formatPlace(node));
        }
  }

  for (const node of nodes) {
    if (!isNewExpression(node) || node.expression.getText() !== "Refusal") continue;
    const [status, body] = node.arguments ?? [];
    const code = body && isObjectLiteralExpression(body) ? readProperty(body, "error") : undefined;
    const reason = body && isObjectLiteralExpression(body) ? readProperty(body, "reason") : undefined;
    const given = evaluate(status);
    const hasReason = code && "texts" in code && code.texts.some((text) => withReason.includes(text));
    if (code && given) add(node, { status: given, code, reason: (hasReason && reason) || nothing });
    else unknown.push(formatPlace(node));
  }

  const calls = nodes.filter(isCallExpression);
  // Makers that are found on the way are at the end of the list.
  for (const maker of makers)
    for (const call of calls) {
      const name = isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression;
      if (!isIdentifier(name) || name.text !== maker.name) continue;
      const symbol = program.findSymbol(name);
      if (!symbol || program.findDeclaration(symbol) !== maker.declaration) continue;
      const fill = (term: Term): Term | undefined => {
        if ("texts" in term) return term;
        const given = evaluate(call.arguments[term.index]);
        if (!given) return undefined;
        if ("texts" in given) return { texts: given.texts.map(term.render) };
        return { ...given, render: (text) => term.render(given.render(text)) };
      };
      const [status, code, reason] = [maker.parts.status, maker.parts.code, maker.parts.reason].map(fill);
      if (status && code && reason) add(call, { status, code, reason });
      else unknown.push(formatPlace(call));
    }
  return { errors, unknown };
}
