import { execFileSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const manifest = JSON.parse(read("package.json")) as {
  version: string;
  dependencies: Record<string, string>;
};

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
}
interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

const rules = (parse(read("deploy/prometheus/alerts.yaml")) as Rules).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read("deploy/grafana/signalbox.json")) as Dashboard;

/** The names of metrics that the code writes. A quoted name counts only where it is handed to the metrics. */
const written = new Set(
  globSync("src/**/*.ts", { cwd: root })
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => [...read(file).matchAll(/\.(?:count|time|timer|gauge)\(\s*"([a-z][a-z0-9_]+)"/g)])
    .map(([, name]) => name!)
    // `time` is also a method of other objects.
    .filter((name) => name.includes("_") || name === "processes"),
);

/** The names of metrics in an expression: words before a selector or a range. */
const namesIn = (expression: string) =>
  [...expression.matchAll(/\b([a-z][a-z0-9_]*_[a-z0-9_]+)\s*\{/g)].map(([, name]) =>
    name!.replace(/_(?:bucket|sum|count)$/, ""),
  );

test("alerts and dashboard use only metrics that exist", () => {
  const used = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets }) => targets ?? []).map(({ expr }) => expr),
  ].flatMap(namesIn);
  expect(used.length).toBeGreaterThan(30);
  expect(used.filter((name) => !written.has(name))).toEqual([]);
});

test("every metric that exists is described in the documentation, and no other", () => {
  const table = read("docs/observability.md").split("## Metrics")[1]!.split("\nLabels come from")[0]!;
  const described = [...table.matchAll(/^\| (.+?) \| (?:histogram|counter|gauge)/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => name!),
  );
  expect(described.toSorted()).toEqual([...written].toSorted());
});

test("every alert says what happened and where to look", () => {
  const silent = rules.filter(({ annotations }) => !(annotations.summary && annotations.description));
  expect(silent.map(({ alert }) => alert)).toEqual([]);
});

test("every file that the Dockerfile copies exists and reaches the build", () => {
  const sources = [...read("Dockerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names]) =>
    names!.split(" "),
  );
  const allowed = [...read(".dockerignore").matchAll(/^!(.+)$/gm)].map(([, name]) => name!);
  expect(sources.length).toBeGreaterThan(10);
  expect(sources.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  expect(sources.filter((name) => !allowed.includes(name.split("/")[0]!))).toEqual([]);
  const packages = readdirSync(join(root, "packages")).filter((name) =>
    existsSync(join(root, "packages", name, "package.json")),
  );
  for (const name of packages) expect(sources).toContain(`packages/${name}/package.json`);
});

test("the chart has the version of the product, and every value is declared and used", () => {
  const chart = parse(read("deploy/helm/signalbox/Chart.yaml")) as { version: string; appVersion: string };
  expect(chart).toMatchObject({ version: manifest.version, appVersion: manifest.version });
  const templates = globSync("deploy/helm/signalbox/templates/*", { cwd: root }).map(read).join("\n");
  const used = new Set([...templates.matchAll(/\.Values\.([a-zA-Z.]+)/g)].map(([, path]) => path!));
  const declared = paths(parse(read("deploy/helm/signalbox/values.yaml")));
  const covers = (outer: string, inner: string) => inner === outer || inner.startsWith(`${outer}.`);
  expect([...used].filter((path) => !declared.some((one) => covers(path, one) || covers(one, path)))).toEqual(
    [],
  );
  expect(declared.filter((path) => ![...used].some((one) => covers(one, path)))).toEqual([]);
});

test("the metrics that the PodMonitor collects have the job that the alerts name", () => {
  const jobs = new Set(
    rules.flatMap(({ expr }) => [...expr.matchAll(/\bjob="([^"]*)"/g)].map(([, job]) => job)),
  );
  const { name } = parse(read("deploy/helm/signalbox/Chart.yaml")) as { name: string };
  expect([...jobs]).toEqual([name]);
  // Without this line, the operator names the job after the namespace and the PodMonitor.
  expect(read("deploy/helm/signalbox/templates/pod-monitor.yaml")).toMatch(
    /^ {2}jobLabel: app\.kubernetes\.io\/name$/m,
  );
  expect(read("deploy/helm/signalbox/templates/_helpers.tpl")).toContain(
    "app.kubernetes.io/name: {{ .Chart.Name }}",
  );
});

test("compose, chart and units set only variables that the service knows", () => {
  const config = read("src/platform/config.ts");
  const texts = [
    ...[...read("compose.yaml").matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name]) => name!),
    ...globSync("deploy/helm/signalbox/templates/*", { cwd: root }).flatMap((file) =>
      [...read(file).matchAll(/- name: ([A-Z_]+)$/gm)].map(([, name]) => name!),
    ),
    ...globSync("deploy/systemd/*.service", { cwd: root }).flatMap((file) =>
      [...read(file).matchAll(/\b([A-Z_]+)=\S/g)].map(([, name]) => name!),
    ),
  ].filter((name) => !name.startsWith("POSTGRES_") && name !== "NODE_ENV");
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.filter((name) => !config.includes(`  ${name}:`))).toEqual([]);
});

test("systemd starts the service again however often it ends", () => {
  for (const file of globSync("deploy/systemd/*.service", { cwd: root })) {
    const [unit] = read(file).split("[Service]");
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(read(file)).toMatch(/^Restart=on-failure$/m);
  }
});

test("the bill of materials lists every dependency with its licence", () => {
  const text = execFileSync("npm", ["run", "--silent", "sbom"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { components } = JSON.parse(text) as { components: { name: string; licenses?: unknown[] }[] };
  const names = new Set(components.map(({ name }) => name));
  expect(Object.keys(manifest.dependencies).filter((name) => !names.has(name))).toEqual([]);
  expect(names.has("vitest")).toBe(false);
  expect(components.filter(({ licenses }) => !licenses?.length).map(({ name }) => name)).toEqual([]);
});

/** The paths of all leaves: `{ a: { b: 1 } }` has `a.b`. */
function paths(value: unknown, prefix = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.keys(value).length) {
    return [prefix];
  }
  return Object.entries(value).flatMap(([key, inner]) => paths(inner, prefix ? `${prefix}.${key}` : key));
}

test("no guide builds the console without the development tools", () => {
  const { devDependencies } = JSON.parse(read("console/package.json")) as {
    devDependencies: Record<string, string>;
  };
  expect(Object.keys(devDependencies)).toContain("vite");
  const wrong = globSync("docs/**/*.md", { cwd: root }).filter((file) =>
    /--omit=dev.*build:console/.test(read(file)),
  );
  expect(wrong).toEqual([]);
});

test("the guide gives the files of the service to the user of its unit", () => {
  const user = /^User=(.+)$/m.exec(read("deploy/systemd/signalbox.service"))![1]!;
  const guide = read("docs/guides/production.md");
  for (const [, file] of guide.matchAll(/^SIGNALBOX_SECRET_FILE=(.+)$/gm))
    expect(guide).toContain(`chown ${user}: ${file}`);
  expect(guide).toContain(`install -m 0640 -g ${user} /dev/null /etc/signalbox.env`);
});
