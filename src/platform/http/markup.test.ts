import { expect, test } from "vitest";
import { html } from "./markup.ts";

test("values are escaped, and markup stays markup, at any depth", () => {
  const evil = `"><script>alert('1')</script>&`;
  const safe = "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;";
  expect(html`<a title="${evil}">${[evil, html`<b>${evil}</b>`]}</a>`.text).toBe(
    `<a title="${safe}">${safe}<b>${safe}</b></a>`,
  );
  expect(html`${undefined}${false}${0}${""}`.text).toBe("0");
});
