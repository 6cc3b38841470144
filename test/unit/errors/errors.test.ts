/** docs/errors.md has every error code of the product, with its status, and no other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openProgram, type Program } from "../sql/program.ts";
import { collectErrors } from "./collect.ts";

const root = join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Places whose codes are data, and which page has them. */
const codesThatAreData: Record<string, string> = {
  "src/features/automations/events/service.ts": "adds the place of an event to another refusal",
  "src/features/sso/saml/rules.ts": "codes of metadata: docs/saml.md",
  "src/features/sso/sign-in/complete.ts": "refused sign-ins: docs/sso.md",
  "src/features/sso/sign-in/confirm.ts": "refused sign-ins: docs/sso.md",
  "src/features/sso/sign-in/link.ts": "refused sign-ins: docs/sso.md",
  "src/features/scim/calls/serve.ts": "passes the body of another refusal on",
};

/** Replies that are no refusals, and the file that has their text. */
const withoutRefusal: Record<string, string> = {
  "401 invalid signature": "src/features/code-host/ingress/service.ts",
};

let program: Program;
beforeAll(() => {
  program = openProgram();
}, 180_000);
afterAll(() => program[Symbol.dispose]());

/** `409 last_owner`, and `403 forbidden missing_permission` from tables whose head names `forbidden`. */
function readPage(): string[] {
  let prefix = "";
  return read("docs/errors.md")
    .split("\n")
    .flatMap((line) => {
      const head = /^\| (?:`(\w+)`, reason|code) \|/.exec(line);
      if (head) prefix = head[1] ? `${head[1]} ` : "";
      const row = /^\| `([^`]+)` \| ([\d, ]+) \|/.exec(line);
      return row ? row[2]!.split(", ").map((status) => `${status} ${prefix}${row[1]}`) : [];
    });
}

test("the page has every code of the source with its status, and no other", () => {
  const { errors, unknown } = collectErrors(
    program,
    (file) => /^(src|packages)\//.test(file) && !file.endsWith(".test.ts"),
  );
  expect(errors.size).toBeGreaterThan(200);
  expect([...new Set(unknown.map((place) => place.split(":")[0]))].sort()).toEqual(
    Object.keys(codesThatAreData).sort(),
  );
  for (const [error, file] of Object.entries(withoutRefusal))
    expect(read(file)).toContain(error.slice("401 ".length));

  const page = readPage();
  const all = [...errors.keys(), ...Object.keys(withoutRefusal)];
  expect(page.filter((error, i) => page.indexOf(error) !== i)).toEqual([]);
  expect(
    all.filter((error) => !page.includes(error)).map((error) => `${error}: ${errors.get(error)}`),
  ).toEqual([]);
  expect(page.filter((error) => !all.includes(error))).toEqual([]);
}, 180_000);

test("every code in an example of the API description is on the page", () => {
  const { paths } = JSON.parse(read("openapi.json")) as {
    paths: Record<string, Record<string, { responses?: Record<string, unknown> }>>;
  };
  const page = new Set(readPage().map((error) => error.split(" ").slice(0, 2).join(" ")));
  const examples = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses = {} }]) =>
      Object.entries(responses).flatMap(([status, response]) =>
        [...JSON.stringify(response).matchAll(/"example":\{"error":"([a-z_]+)"/g)].map(([, code]) => ({
          error: `${status} ${code}`,
          operation: `${method} ${path}`,
        })),
      ),
    ),
  );
  expect(examples.length).toBeGreaterThan(1_000);
  // docs/errors.md leaves the codes of SAML to docs/saml.md.
  const isOfSaml = ({ error }: { error: string }) =>
    read("docs/saml.md").includes(`\`${error.split(" ")[1]}\``);
  // It replies with HTML pages, which have no error code.
  const isPage = ({ operation }: { operation: string }) => operation === "get /oauth/authorize/{uid}";
  expect(
    examples.filter((example) => !page.has(example.error) && !isOfSaml(example) && !isPage(example)),
  ).toEqual([]);
});

test("the search finds codes in every form that the source has", () => {
  const samples = "test/unit/errors/samples.ts";
  const { errors, unknown } = collectErrors(program, (file) =>
    [samples, "src/platform/errors.ts"].includes(file),
  );
  const found = [...errors].filter(([, place]) => place.startsWith(samples)).map(([error]) => error);
  expect(found.sort()).toEqual([
    "403 forbidden in_a_reason",
    "404 through_a_template_not_found",
    "409 in_a_call",
    "409 of_a_union",
    "409 one_of_two",
    "409 the_other",
    "418 in_a_body",
    "418 through_two_functions",
  ]);
  expect(unknown).toHaveLength(1);
}, 180_000);
