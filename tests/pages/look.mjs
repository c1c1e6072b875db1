// Opens the book and an audit report in a real browser, in light and dark.
//
//     node look.mjs BOOK REPORT PICTURES
//
// The pages may load nothing from elsewhere and run only our own code. axe must find no problem in the text. The
// search of the report must filter, and the search of the book must find the page that answers each question of
// questions.tsv. The pictures are for people.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.IAC_MCP_NODE_PACKAGES, "package.json"));
const { chromium } = require("playwright-core");
const { default: binary } = await import(pathToFileURL(require.resolve("@sparticuz/chromium")));
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [book, report, pictures] = process.argv.slice(2);
const problems = [];

// In single-process mode, closing the last page would end the browser.
const ARGUMENTS = binary.args.filter((argument) => !["--single-process", "--no-zygote"].includes(argument));

async function start() {
  try {
    return await chromium.launch({ executablePath: await binary.executablePath(), args: ARGUMENTS });
  } catch (error) {
    console.log(`skipped: the browser does not run here (${error.message.split("\n")[0]})`);
    process.exit(77);
  }
}

// A page with a watch for everything that it must not do.
async function open(browser, file, colorScheme, search = "") {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 900 } });
  const wrong = (what) => problems.push(`${file}: ${what}`);
  page.on("request", (request) => /^(file|data):/.test(request.url()) || wrong(`asks for ${request.url()}`));
  page.on("pageerror", (error) => wrong(error.message));
  page.on("dialog", (dialog) => (wrong(`opens a dialog: ${dialog.message()}`), dialog.dismiss()));
  await page.goto(`${pathToFileURL(file)}${search}`);
  return page;
}

// The browser itself injects axe, so no policy of the page blocks it.
async function accessible(page, name, within) {
  await page.evaluate(`${axe};0`);
  const found = await page.evaluate(
    (within) => globalThis.axe.run(within, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa"] }),
    within,
  );
  for (const { id, help, nodes } of found.violations) {
    problems.push(
      `${name}: ${id}: ${help}: ${nodes
        .map((node) => node.html.slice(0, 120))
        .slice(0, 3)
        .join(" | ")}`,
    );
  }
}

async function theReport(browser) {
  for (const scheme of ["light", "dark"]) {
    const page = await open(browser, report, scheme);
    await accessible(page, `report, ${scheme}`, "html");
    await page.screenshot({ path: join(pictures, `report-${scheme}.png`) });
    const rows = page.locator(".entries tbody tr:visible");
    const all = await rows.count();
    await page.getByLabel("Search").fill("operator profile");
    const found = await rows.count();
    if (!(found > 0 && found < all)) problems.push(`report: the search leaves ${found} of ${all} rows`);
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Kind").selectOption("decision");
    const decisions = await rows.count();
    if (!(decisions > 0 && decisions < all)) problems.push(`report: of ${all} rows ${decisions} are decisions`);
    await page.close();
  }
}

async function theBook(browser) {
  for (const scheme of ["light", "dark"]) {
    for (const name of ["index", "first-questions", "consent", "safety", "recipes-mail", "one-call"]) {
      const page = await open(browser, join(book, `${name}.html`), scheme);
      await accessible(page, `${name}, ${scheme}`, "main");
      await page.screenshot({ path: join(pictures, `${name}-${scheme}.png`) });
      await page.close();
    }
  }
}

async function theQuestions(browser) {
  const questions = readFileSync(new URL("questions.tsv", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .slice(1);
  const parts = {};
  const page = await open(browser, join(book, "index.html"), "light");
  for (const line of questions) {
    const [part, question, words, wanted] = line.split("\t");
    parts[part] = (parts[part] ?? 0) + 1;
    await page.goto(`${pathToFileURL(join(book, "index.html"))}?search=${encodeURIComponent(words)}`);
    const links = page.locator("#mdbook-searchresults a, #searchresults a");
    await links
      .first()
      .waitFor({ timeout: 10000 })
      .catch(() => {});
    const found = (await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).slice(0, 8);
    const pages = [...new Set(found.map((link) => link.split(/[?#]/)[0].split("/").pop()))].slice(0, 5);
    if (!pages.includes(wanted))
      problems.push(`${part}: ${question} \`${words}\` finds ${pages.join(", ") || "nothing"}, not ${wanted}`);
  }
  for (const [part, count] of Object.entries(parts)) {
    if (count < 10) problems.push(`questions.tsv: ten questions for ${part}, not ${count}`);
  }
  await page.close();
}

const browser = await start();
await theReport(browser);
await theBook(browser);
await theQuestions(browser);
await browser.close();
problems.forEach((problem) => console.error(problem));
console.log(`looked at the report and the book; ${problems.length} problems; pictures are in ${pictures}`);
process.exit(problems.length > 0 ? 1 : 0);
