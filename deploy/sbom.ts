/**
 * Prints the bill of materials of what is installed for production, in CycloneDX 1.5. It comes from package-lock.json,
 * because `npm sbom --omit=dev` leaves out packages that development tools need as well, such as pg and zod.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Locked {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
}

const root = join(import.meta.dirname, "..");
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  name: string;
  version: string;
  packages: Record<string, Locked>;
};

const components = Object.entries(lock.packages)
  .filter(([path, { dev, link }]) => path && !dev && !link)
  .map(([path, locked]) => describe(path, locked))
  .sort((one, other) => (one["bom-ref"] < other["bom-ref"] ? -1 : 1));

console.log(
  JSON.stringify(
    {
      $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
      bomFormat: "CycloneDX",
      specVersion: "1.5",
      serialNumber: `urn:uuid:${randomUUID()}`,
      version: 1,
      metadata: {
        timestamp: new Date().toISOString(),
        component: { type: "application", name: lock.name, version: lock.version, "bom-ref": lock.name },
      },
      components: components.filter(({ "bom-ref": ref }, i) => ref !== components[i - 1]?.["bom-ref"]),
    },
    null,
    2,
  ),
);

function describe(path: string, { name, version, integrity, license }: Locked) {
  const fullName = name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const purl = `pkg:npm/${fullName.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    "bom-ref": purl,
    name: fullName,
    version,
    purl,
    // Packages of this repository have no licence of their own in the lock file.
    licenses: [toLicense(license ?? (path.includes("node_modules") ? undefined : "Apache-2.0"))],
    ...(integrity ? { hashes: integrity.split(" ").map(toHash) } : {}),
  };
}

/** An identifier of SPDX, or an expression of several. */
function toLicense(license = "NOASSERTION") {
  return /[ ()]/.test(license) ? { expression: license } : { license: { id: license } };
}

function toHash(integrity: string) {
  const [algorithm, digest] = integrity.split(/-(.*)/s) as [string, string];
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") };
}
