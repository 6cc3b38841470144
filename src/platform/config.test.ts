import { describe, expect, test } from "vitest";
import { ConfigError, findExposure, isLoopbackOnly, readConfig } from "./config.ts";

const secret = "a-secret-for-the-tests-long-enough";

describe("the configuration", () => {
  test("needs nothing to be set", () => {
    expect(readConfig({})).toMatchObject({
      host: "127.0.0.1",
      port: 8787,
      publicUrl: undefined,
      databaseUrl: undefined,
      secret: undefined,
      logLevel: "info",
      tracing: undefined,
    });
  });

  test("treats an empty value as not set", () => {
    expect(readConfig({ PORT: "", PUBLIC_URL: " ", SMTP_URL: "" })).toEqual(readConfig({}));
  });

  test("reads lists with or without spaces, and addresses in any case", () => {
    const config = readConfig({
      ADMIN_EMAILS: "Ada@Example.com , bob@example.com,",
      CORS_ORIGINS: "https://app.example.com/,http://localhost:3000",
      PUBLIC_URL: "https://Signalbox.example.com/",
    });
    expect(config.adminEmails).toEqual(["ada@example.com", "bob@example.com"]);
    expect(config.corsOrigins).toEqual(["https://app.example.com", "http://localhost:3000"]);
    expect(config.publicUrl).toBe("https://signalbox.example.com");
  });

  test("reads the secret like a file with it, without the white space around it, and still opens what was sealed with it", () => {
    const read = readConfig({ SIGNALBOX_SECRET: `${secret}\n` });
    expect(read.secret).toBe(secret);
    expect(read.previousSecrets).toEqual([`${secret}\n`]);
    expect(readConfig({ SIGNALBOX_SECRET: secret }).previousSecrets).toEqual([]);
    const earlier = readConfig({ SIGNALBOX_SECRET_PREVIOUS: `${secret}\n` }).previousSecrets;
    expect(earlier).toEqual([secret, `${secret}\n`]);
    const spaces = " ".repeat(40);
    expect(() => readConfig({ SIGNALBOX_SECRET: `short${spaces}` })).toThrow(/^SIGNALBOX_SECRET must have/);
  });

  test("accepts several previous secrets, also one that contains a comma", () => {
    const withComma = "a secret for the tests, long enough";
    expect(readConfig({ SIGNALBOX_SECRET_PREVIOUS: withComma }).previousSecrets).toEqual([withComma]);
    const several = readConfig({ SIGNALBOX_SECRET_PREVIOUS: `${secret}-1, ${secret}-2` }).previousSecrets;
    expect(several).toEqual(expect.arrayContaining([`${secret}-1`, `${secret}-2`]));
  });

  test.each([
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "8787.5"],
    ["PORT", "0x50"],
    ["PUBLIC_URL", "https://example.com/path"],
    ["PUBLIC_URL", "ftp://example.com"],
    ["DATABASE_POOL", "1"],
    ["SIGNALBOX_SECRET", "31 characters are not enough .."],
    ["OTEL_TRACES_SAMPLER_ARG", "half"],
    ["MAIL_FROM", "a@example.com\nBcc: b@example.com"],
    ["SIGNUP", "everybody"],
    ["BOOTSTRAP", "invited"],
  ])("refuses %s=%j in one sentence that begins with the variable", (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} must [^\\n]*\\.$`));
  });

  test("requires a secret where replicas must share one", () => {
    const DATABASE_URL = "postgres://localhost/signalbox";
    expect(() => readConfig({ DATABASE_URL })).toThrow(/^SIGNALBOX_SECRET must be set when DATABASE_URL is/);
    expect(readConfig({ DATABASE_URL, SIGNALBOX_SECRET: secret }).databaseUrl).toBe(DATABASE_URL);
    const fromFile = readConfig({ DATABASE_URL, SIGNALBOX_SECRET_FILE: "/run/secrets/signalbox" });
    expect(fromFile).toMatchObject({ secret: undefined, secretFile: "/run/secrets/signalbox" });
    expect(() => readConfig({ SIGNALBOX_SECRET: secret, SIGNALBOX_SECRET_FILE: "secret" })).toThrow(
      /^SIGNALBOX_SECRET and SIGNALBOX_SECRET_FILE are both set\. /,
    );
  });

  test.each([
    [{}, "open", "open"],
    [{ PUBLIC_URL: "http://localhost:8787" }, "open", "open"],
    [{ HOST: "0.0.0.0" }, "invited", "closed"],
    [{ PUBLIC_URL: "https://signalbox.example.com" }, "invited", "closed"],
    [{ TRUSTED_PROXIES: "127.0.0.1" }, "invited", "closed"],
    [{ HOST: "0.0.0.0", SIGNUP: "open", BOOTSTRAP: "open" }, "open", "open"],
    [{ SIGNUP: "closed", BOOTSTRAP: "closed" }, "closed", "closed"],
    [{ SIGNUP: "invited" }, "invited", "open"],
  ])("with %j sign-up is %s and bootstrap %s", (environment, signup, bootstrap) => {
    expect(readConfig(environment)).toMatchObject({ signup, bootstrap });
  });

  test.each([
    ["localhost", true],
    ["127.0.0.1", true],
    ["127.8.8.8", true],
    ["::1", true],
    ["0.0.0.0", false],
    ["::", false],
    ["10.0.0.1", false],
    ["signalbox.example.com", false],
  ])("an instance that listens on %s is loopback-only: %s", (HOST, loopbackOnly) => {
    expect(isLoopbackOnly(readConfig({ HOST }))).toBe(loopbackOnly);
  });

  test.each([
    [{}, undefined],
    [{ PUBLIC_URL: "http://localhost:8787" }, undefined],
    [{ PUBLIC_URL: "http://[::1]:8787" }, undefined],
    [{ PUBLIC_URL: "https://signalbox.example.com" }, "PUBLIC_URL is https://signalbox.example.com"],
    [{ PUBLIC_URL: "http://127.0.0.1.example.com" }, "PUBLIC_URL is http://127.0.0.1.example.com"],
    [{ PUBLIC_URL: "http://10.0.0.1" }, "PUBLIC_URL is http://10.0.0.1"],
    [{ TRUSTED_PROXIES: "127.0.0.1" }, "TRUSTED_PROXIES names a proxy"],
    [{ HOST: "0.0.0.0", TRUSTED_PROXIES: "127.0.0.1" }, "HOST is 0.0.0.0"],
  ])("%j makes an instance reachable by others: %s", (environment, exposure) => {
    expect(findExposure(readConfig(environment))).toBe(exposure);
  });

  test.each([
    [{}, true],
    [{ HOST: "::1", PUBLIC_URL: "http://localhost:3000" }, true],
    [{ HOST: "localhost", PUBLIC_URL: "http://[::1]:3000" }, true],
    [{ PUBLIC_URL: "https://signalbox.example.com" }, false],
    [{ TRUSTED_PROXIES: "127.0.0.1" }, false],
    [{ HOST: "0.0.0.0" }, false],
    [{ HOST: "0.0.0.0", PUBLIC_URL: "http://localhost" }, false],
    [{ PUBLIC_URL: "http://localhost.example.com" }, false],
  ])("with %j only this machine can reach the instance: %s", (environment, expected) => {
    expect(isLoopbackOnly(readConfig(environment))).toBe(expected);
  });
});
