import {
  type ArrayBindingPattern,
  type BinaryExpression,
  type BindingElement,
  type CallExpression,
  type Expression,
  isArrayLiteralExpression,
  isAsExpression,
  isBinaryExpression,
  isBindingElement,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isIdentifier,
  isNonNullExpression,
  isNoSubstitutionTemplateLiteral,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isSpreadElement,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type ObjectLiteralExpression,
  type ParameterDeclaration,
  SyntaxKind,
  type TaggedTemplateExpression,
  type TemplateLiteral,
} from "typescript/unstable/ast";
import { formatPlace, type Program, walk } from "./program.ts";
import { createSqlFinder } from "./sql-finder.ts";
import {
  type Callable,
  identify,
  isCallable,
  literalTexts,
  readName,
  splitTemplate,
  walkOwn,
} from "./syntax.ts";
import {
  absent,
  type Bindings,
  choice,
  mapValue,
  NotAnalysable,
  parameter,
  textValue,
  type Value,
  withoutAbsent,
} from "./values.ts";

/** The text depends on a parameter of this function, so its callers must be known. */
export class NeedsCallers extends Error {
  readonly callee: Node;
  constructor(callee: Node) {
    super(`depends on a parameter of the function at ${formatPlace(callee)}`);
    this.callee = callee;
  }
}

/** Values that only exist at run time, by the name of their type. */
export type KnownValues = ReadonlyMap<string, readonly Value[]>;

const deepest = 60;

/** Evaluates expressions of the program as far as the text of a statement depends on them. */
export function createEvaluator(program: Program, known: KnownValues) {
  let depth = 0;
  const holdsSql = createSqlFinder(program);
  const evaluated = new Set<Node>();

  function evaluate(node: Node, bindings: Bindings): Value {
    if (++depth > deepest) throw new NotAnalysable(`is nested too deeply at ${formatPlace(node)}`);
    try {
      return evaluateNode(node, bindings);
    } finally {
      depth--;
    }
  }

  function evaluateNode(node: Node, bindings: Bindings): Value {
    if (
      isParenthesizedExpression(node) ||
      isAsExpression(node) ||
      isNonNullExpression(node) ||
      isSatisfiesExpression(node)
    )
      return evaluate(node.expression, bindings);
    if (isTaggedTemplateExpression(node)) return evaluateStatement(node, bindings);
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return textValue(node.text);
    if (isTemplateExpression(node)) return evaluateTemplate(node, bindings);
    if (node.kind === SyntaxKind.NullKeyword) return absent;
    if (isConditionalExpression(node))
      return choice(identify(node.condition), [
        evaluate(node.whenTrue, bindings),
        evaluate(node.whenFalse, bindings),
      ]);
    if (isBinaryExpression(node)) return evaluateOperator(node, bindings);
    if (isIdentifier(node)) return evaluateName(node, bindings);
    if (isArrayLiteralExpression(node))
      return { is: "list", items: node.elements.flatMap((element) => evaluateElement(element, bindings)) };
    if (isObjectLiteralExpression(node)) return evaluateObject(node, bindings);
    if (isPropertyAccessExpression(node) && isExportedConstant(node.name))
      return evaluateName(node.name, bindings);
    if (isPropertyAccessExpression(node))
      return readProperty(evaluate(node.expression, bindings), node.name.text);
    if (isElementAccessExpression(node))
      return mapValue(evaluate(node.expression, bindings), (value) =>
        value.is === "object"
          ? choice(identify(node.argumentExpression), [...value.properties.values()])
          : parameter,
      );
    if (isCallable(node)) return { is: "function", node, bindings };
    if (isCallExpression(node)) return evaluateCall(node, bindings);
    return parameter;
  }

  function evaluateStatement(node: TaggedTemplateExpression, bindings: Bindings): Value {
    evaluated.add(node);
    return { is: "sql", parts: splitTemplate(node.template, (span) => evaluatePart(span, bindings)) };
  }

  function evaluateOperator(node: BinaryExpression, bindings: Bindings): Value {
    const operator = node.operatorToken.kind;
    const right = () => evaluate(node.right, bindings);
    if (operator === SyntaxKind.AmpersandAmpersandToken)
      return choice(identify(node.left), [right(), absent]);
    if (operator !== SyntaxKind.QuestionQuestionToken && operator !== SyntaxKind.BarBarToken)
      return parameter;
    return mapValue(evaluate(node.left, bindings), (left) => {
      if (left.is === "absent") return right();
      return left.is === "parameter" ? choice(identify(node), [left, right()]) : left;
    });
  }

  function evaluatePart(span: Expression, bindings: Bindings): Value {
    if (!program.isSql(span)) return parameter;
    // The compiler knows that the value is there.
    return mapValue(withoutAbsent(evaluate(span, bindings)), (value) => {
      if (value.is === "sql" || value.is === "joined") return value;
      throw new NotAnalysable(`\`${span.getText()}\` at ${formatPlace(span)} is not known`);
    });
  }

  /** A text of the program. Parts that are not known make it a value. */
  function evaluateTemplate(node: TemplateLiteral, bindings: Bindings): Value {
    let texts: Value = textValue("");
    for (const part of splitTemplate(node, (span) => evaluate(span, bindings)))
      texts = mapValue(texts, (before) =>
        mapValue(part, (after) =>
          before.is === "text" && after.is === "text" ? textValue(before.text + after.text) : parameter,
        ),
      );
    return texts;
  }

  function evaluateElement(element: Node, bindings: Bindings): readonly Value[] {
    if (!isSpreadElement(element)) return [evaluate(element, bindings)];
    const spread = evaluate(element.expression, bindings);
    return spread.is === "list" ? spread.items : [parameter];
  }

  function evaluateObject(node: ObjectLiteralExpression, bindings: Bindings): Value {
    const properties = new Map<string, Value>();
    for (const property of node.properties) {
      if (isPropertyAssignment(property))
        properties.set(readName(property.name), evaluate(property.initializer, bindings));
      else if (isShorthandPropertyAssignment(property))
        properties.set(readName(property.name), evaluateName(property.name, bindings));
    }
    return { is: "object", properties };
  }

  /** `name` of `store.name`, where `store` is a whole module. Properties of other values have no such declaration. */
  function isExportedConstant(name: Node): boolean {
    const symbol = program.findSymbol(name);
    const declaration = symbol && program.findDeclaration(symbol);
    return declaration !== undefined && isVariableDeclaration(declaration);
  }

  function evaluateName(name: Node, bindings: Bindings): Value {
    if (name.getText() === "undefined") return absent;
    const symbol = program.findSymbol(name);
    const bound = symbol && bindings.get(symbol.id);
    if (bound) return bound;
    const declaration = symbol && program.findDeclaration(symbol);
    if (!declaration) return parameter;
    if (isVariableDeclaration(declaration)) return evaluateVariable(declaration, bindings);
    if (isBindingElement(declaration)) return evaluateBindingElement(declaration, bindings);
    if (isParameterDeclaration(declaration)) return evaluateParameter(declaration, bindings);
    if (isCallable(declaration)) return { is: "function", node: declaration, bindings };
    return parameter;
  }

  function evaluateVariable(
    declaration: Node & { initializer?: Expression; name: Node },
    bindings: Bindings,
  ): Value {
    const symbol = program.findSymbol(declaration.name);
    const assigned = [...walk(declaration.parent.parent.parent)].filter(
      (node) =>
        isBinaryExpression(node) &&
        node.operatorToken.kind === SyntaxKind.EqualsToken &&
        isIdentifier(node.left) &&
        node.left.text === declaration.name.getText() &&
        program.findSymbol(node.left)?.id === symbol?.id,
    );
    const sources = [
      ...(declaration.initializer ? [declaration.initializer] : []),
      ...assigned.map((node) => (node as unknown as { right: Node }).right),
    ];
    return sources.length === 0
      ? parameter
      : choice(
          identify(declaration),
          sources.map((source) => evaluate(source, bindings)),
        );
  }

  function evaluateBindingElement(element: BindingElement, bindings: Bindings): Value {
    const owner = element.parent.parent;
    const source =
      isVariableDeclaration(owner) && owner.initializer
        ? evaluate(owner.initializer, bindings)
        : isParameterDeclaration(owner)
          ? evaluateParameter(owner, bindings, element)
          : parameter;
    const value = isObjectBindingPattern(element.parent)
      ? readProperty(source, readName(element.propertyName ?? element.name!))
      : readItem(source, (element.parent as ArrayBindingPattern).elements.indexOf(element));
    return withDefault(value, element.initializer, bindings);
  }

  /** A parameter that no call has bound. */
  function evaluateParameter(
    declaration: ParameterDeclaration,
    bindings: Bindings,
    element?: BindingElement,
  ): Value {
    const type = program.checker.getTypeAtLocation(declaration);
    const values = known.get(type?.getSymbol()?.name ?? "");
    if (values) return choice(`known ${type!.getSymbol()!.name}`, values);
    const part = element ? program.checker.getTypeAtLocation(element) : type;
    if (part && holdsSql(part)) throw new NeedsCallers(declaration.parent);
    if (part && !element) return choice(identify(declaration), literalTexts(part) ?? [parameter]);
    return withDefault(parameter, declaration.initializer, bindings);
  }

  function withDefault(value: Value, initializer: Expression | undefined, bindings: Bindings): Value {
    if (!initializer) return value;
    return mapValue(value, (one) => (one.is === "absent" ? evaluate(initializer, bindings) : one));
  }

  function readProperty(value: Value, name: string): Value {
    return mapValue(value, (one) =>
      one.is === "object" ? (one.properties.get(name) ?? absent) : one.is === "absent" ? absent : parameter,
    );
  }

  const readItem = (value: Value, i: number): Value =>
    mapValue(value, (one) => (one.is === "list" ? (one.items[i] ?? absent) : parameter));

  function evaluateCall(node: CallExpression, bindings: Bindings): Value {
    const callee = node.expression;
    const argument = (i: number) => evaluate(node.arguments[i]!, bindings);
    if (isPropertyAccessExpression(callee) && callee.name.text === "filter")
      return evaluate(callee.expression, bindings);
    if (isPropertyAccessExpression(callee) && callee.name.text === "map")
      return mapValue(evaluate(callee.expression, bindings), (list) => ({
        is: "list",
        // A list of run-time values has two items, so that the separator is in the text.
        items: (list.is === "list" ? list.items : [parameter, parameter]).map((item) =>
          mapValue(item, (one) => call(argument(0), [one])),
        ),
      }));
    if (isIdentifier(callee) && callee.text === "String") return textValue("1");
    if (isPlatformFunction(callee, "raw"))
      return mapValue(argument(0), (text) => {
        if (text.is !== "text")
          throw new NotAnalysable(`\`${node.getText()}\` at ${formatPlace(node)} is not known`);
        return { is: "sql", parts: [text] };
      });
    // The result is called like the function that builds the statement, and has the same text.
    if (isPlatformFunction(callee, "reuseStatement")) return argument(0);
    if (isPlatformFunction(callee, "join"))
      return mapValue(argument(0), (list) => {
        const separator = argument(1);
        if (list.is !== "list" || separator.is !== "text")
          throw new NotAnalysable(`the list \`${node.getText()}\` at ${formatPlace(node)} is not known`);
        return { is: "joined", items: list.items, separator: separator.text };
      });
    const type = program.checker.getTypeAtLocation(node);
    if (!type || !holdsSql(type)) return parameter;
    return mapValue(evaluate(callee, bindings), (target) =>
      target.is === "function" ? call(target, evaluateArguments(node, bindings)) : parameter,
    );
  }

  const evaluateArguments = (node: CallExpression, bindings: Bindings) =>
    node.arguments.map((one) => evaluate(one, bindings));

  function call(target: Value, values: readonly Value[]): Value {
    if (target.is !== "function" || !isCallable(target.node)) return parameter;
    const bindings = bindParameters(target.node, values, target.bindings);
    const { body } = target.node;
    if (!body) return parameter;
    if (!isBlock(body)) return evaluate(body, bindings);
    const returned = [...walkOwn(body)]
      .filter(isReturnStatement)
      .flatMap(({ expression }) => expression ?? []);
    return choice(
      identify(body),
      returned.map((one) => evaluate(one, bindings)),
    );
  }

  function bindParameters(callee: Callable, values: readonly Value[], outer: Bindings): Bindings {
    const bindings = new Map(outer);
    const bind = (name: Node, value: Value): void => {
      if (isIdentifier(name)) {
        const symbol = program.findSymbol(name);
        if (symbol) bindings.set(symbol.id, value);
      } else if (isObjectBindingPattern(name))
        for (const { propertyName, name: inner, initializer } of name.elements)
          if (inner)
            bind(
              inner,
              withDefault(readProperty(value, readName(propertyName ?? inner)), initializer, bindings),
            );
    };
    callee.parameters.forEach(({ name, initializer }, i) => {
      bind(name, withDefault(values[i] ?? absent, initializer, bindings));
    });
    return bindings;
  }

  function isPlatformFunction(callee: Expression, name: "join" | "raw" | "reuseStatement"): boolean {
    if (!isIdentifier(callee)) return false;
    const symbol = program.findSymbol(callee);
    const declaration = symbol && program.findDeclaration(symbol);
    return declaration?.getSourceFile().fileName.endsWith(sqlFile) === true && symbol?.name === name;
  }

  /** Binds the parameters of `callee` to the values at one of its calls. */
  const bindCall = (callee: Node, node: CallExpression, bindings: Bindings): Bindings =>
    bindParameters(callee as Callable, evaluateArguments(node, bindings), bindings);

  return {
    evaluate,
    bindCall,
    /** The `sql` texts that an expression contained. */
    evaluated,
  };
}

const sqlFile = "/src/platform/db/sql.ts";
