import { expect, test } from "vitest";
import { readGuide } from "../../../../test/documentation.ts";
import * as contract from "./contract.ts";

const guide = readGuide("mcp-import-export");

test.each([
  ...contract.formatNames,
  ...contract.problemCodes,
  ...contract.clientNames,
  ...["saved", "exists", "choice_required", "refused", "started", "result", "done"],
])("the guide explains %s", (word) => {
  expect(guide).toContain(`\`${word}\``);
});

test.each([contract.preview, contract.importServers, contract.exportConfiguration])(
  "the guide names $method $path",
  ({ method, path }) => {
    expect(guide).toContain(`\`${method.toUpperCase()} ${path}\``);
  },
);
