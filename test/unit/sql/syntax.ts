import {
  type ArrowFunction,
  type Expression,
  type FunctionDeclaration,
  isArrowFunction,
  isFunctionDeclaration,
  isFunctionExpression,
  isNoSubstitutionTemplateLiteral,
  type Node,
  type TemplateLiteral,
} from "typescript/unstable/ast";
import type { StringLiteralType, Type } from "typescript/unstable/sync";
import { textValue, type Value } from "./values.ts";

export type Callable = ArrowFunction | FunctionDeclaration;
export const isCallable = (node: Node): node is Callable =>
  isArrowFunction(node) || isFunctionDeclaration(node) || isFunctionExpression(node);

/** The texts and the values of a template, in their order. */
export function splitTemplate(template: TemplateLiteral, evaluateSpan: (span: Expression) => Value): Value[] {
  if (isNoSubstitutionTemplateLiteral(template)) return [textValue(template.text)];
  return [
    textValue(template.head.text),
    ...template.templateSpans.flatMap(({ expression, literal }) => [
      evaluateSpan(expression),
      textValue(literal.text),
    ]),
  ];
}

/** The texts of a union of literals. */
export function literalTexts(type: Type): Value[] | undefined {
  const types = type.isUnionType() ? type.getTypes() : [type];
  return types.every((one) => one.isStringLiteralType())
    ? types.map((one) => textValue((one as StringLiteralType).value))
    : undefined;
}

/** Equal conditions in one function have the same key. */
export const identify = (node: Node) => `${node.getSourceFile().fileName}: ${node.getText()}`;
export const readName = (name: Node) => (name as { text?: string }).text ?? name.getText();

/** The nodes of a function's body without those of the functions inside. */
export function* walkOwn(node: Node): Generator<Node> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => void children.push(child));
  for (const child of children) if (!isCallable(child)) yield* walkOwn(child);
}
