import { expect, test } from "vitest";
import { splitServers } from "./servers.ts";

test("a URL with one server stays as it is", () => {
  for (const url of ["postgres://u:p@host:5432/name?x=1", "postgres:///name?host=/run/a,b", "not a URL"])
    expect(splitServers(url)).toEqual([url]);
});

test("a URL with several servers becomes one for each, with the same sign-in and options", () => {
  expect(splitServers("postgres://u:p%40@a:1,b,[::1]:3/name?sslmode=require")).toEqual([
    "postgres://u:p%40@a:1/name?sslmode=require",
    "postgres://u:p%40@b/name?sslmode=require",
    "postgres://u:p%40@[::1]:3/name?sslmode=require",
  ]);
});
