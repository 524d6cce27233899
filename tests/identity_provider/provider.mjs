// A real provider over TLS. Settings are one line of JSON on standard input: port, certificate, key, clients, signing
// keys. `/people` tells who signs in next, `/settings` replaces settings; both are for the tests alone.
import { createServer } from "node:https";
import { createInterface } from "node:readline";
import { Provider } from "oidc-provider";

const lines = createInterface({ input: process.stdin });
const settings = JSON.parse(await new Promise((found) => lines.once("line", found)));
// The tests hold the other end: this process ends with them.
process.stdin.on("end", () => process.exit(0));

let person = { sub: "nobody" };

function made() {
  return new Provider(settings.issuer, {
    clients: settings.clients,
    jwks: { keys: settings.keys },
    cookies: { keys: ["only for tests"] },
    features: { devInteractions: { enabled: false } },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: settings.conform,
    pkce: { required: () => true },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...person, sub: id }) }),
    ttl: { AuthorizationCode: 60, Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  });
}

let provider = made();

// Everybody who asks is signed in as the person and agrees to everything.
async function interact(request, response) {
  const details = await provider.interactionDetails(request, response);
  if (person.refuses) {
    const result = { error: "access_denied", error_description: person.refuses };
    return provider.interactionFinished(request, response, result);
  }
  const { params, prompt } = details;
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: person.sub, remember: false } });
  }
  const grant = new provider.Grant({ accountId: details.session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const grantId = await grant.save();
  return provider.interactionFinished(request, response, { consent: { grantId } });
}

async function body(request) {
  let text = "";
  for await (const part of request) text += part;
  return JSON.parse(text);
}

createServer({ key: settings.key, cert: settings.certificate }, async (request, response) => {
  try {
    if (request.url === "/people") {
      person = await body(request);
      response.end("{}");
    } else if (request.url === "/settings") {
      Object.assign(settings, await body(request));
      provider = made();
      response.end("{}");
    } else if (request.url.startsWith("/interaction/")) {
      await interact(request, response);
    } else {
      await provider.callback()(request, response);
    }
  } catch (error) {
    response.statusCode = 500;
    response.end(String(error));
  }
}).listen(settings.port, "127.0.0.1", () => console.log("ready"));
