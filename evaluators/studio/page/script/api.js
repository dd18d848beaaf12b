// Requests to the server of the studio. The token of the address is kept for this tab, and taken out of the address.

const KEPT_TOKEN = "evaluators-studio-token";
let token = "";

/** Why a request was not done. `status` is 0 where nobody answered. */
export class Refusal extends Error {
  /** @param {number} status @param {Record<string, any>} said */
  constructor(status, said) {
    const words = String(said.message ?? `The studio answered with ${status}.`);
    super(status === 500 ? `The studio has a fault: ${words.trim().split("\n").at(-1)}` : words);
    this.status = status;
    this.code = String(said.code ?? "");
    this.said = said;
  }
}

export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  token = given.get("token") ?? sessionStorage.getItem(KEPT_TOKEN) ?? "";
  sessionStorage.setItem(KEPT_TOKEN, token);
  given.delete("token");
  const [address] = location.href.split("#");
  history.replaceState(null, "", given.size ? `${address}#${given}` : address);
}

/** The address of the report of a run.
 * @param {string} name */
export const reportOf = (name) =>
  `runs/${name.split("/").map(encodeURIComponent).join("/")}/report?${new URLSearchParams({ token })}`;

/** @param {string} name @param {Record<string, any>} [body] @returns {Promise<any>} */
export const ask = (name, body = {}) =>
  sent(`api/${name}`, JSON.stringify(body), { "Content-Type": "application/json" });

/** @param {File} file @returns {Promise<{path: string}>} */
export const upload = (file) =>
  sent(`api/upload?${new URLSearchParams({ name: file.name })}`, file, { "Content-Type": "application/octet-stream" });

/** @param {string} address @param {BodyInit} body @param {Record<string, string>} headers */
async function sent(address, body, headers) {
  let answer;
  try {
    answer = await fetch(address, { method: "POST", body, headers: { ...headers, "X-Studio-Token": token } });
  } catch {
    throw new Refusal(0, {
      code: "gone",
      message: "The studio does not answer: is `evaluators studio` still running?",
    });
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, said);
  return said;
}
