import { expect, test } from "vitest";
import { readGuide, readRoomSource } from "../../../test/documentation.ts";
import { ownTools } from "./own-tools/index.ts";

const guide = readGuide("mcp-endpoint");
const source = readRoomSource("mcp-endpoint");

test.each(ownTools.map(({ name }) => name))("the guide lists the tool %s", (name) => {
  expect(guide).toContain(`\`${name}\``);
});

const codes = [...new Set([...source.matchAll(/\bconflict\(\s*"(\w+)"/g)].map((match) => match[1]!))];

test.each(codes)("the guide says what to do about %s", (code) => {
  expect(guide).toContain(`\`${code}\``);
});
