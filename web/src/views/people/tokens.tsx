// Tokens: made, shown once, narrowed down, revoked.
import { useState } from "preact/hooks";
import { api, ask } from "../../api/client";
import type { Role, Scope, Token } from "../../api/types";
import { useData } from "../../live/data";
import { Do, useAction, Wrong } from "../../parts/action";
import { Badge } from "../../parts/badge";
import { Card } from "../../parts/card";
import { Choice, Field } from "../../parts/field";
import { clockOf } from "../../parts/format";
import { Shown } from "../../parts/states";
import { type Column, Table } from "../../parts/table";

const stateOf = (token: Token): string => (token.revoked_at ? "revoked" : token.expires_at && Date.parse(token.expires_at) < Date.now() ? "expired" : "good");

export function Tokens() {
  const data = useData(() => ask(api.GET("/v1/tokens")), []);
  const doing = useAction();
  const revoke = (token: Token) => async (): Promise<void> => {
    await ask(api.DELETE("/v1/tokens/{token}", { params: { path: { token: token.token } } }));
    data.reload();
  };
  const columns: Column<Token>[] = [
    { name: "Token", cell: (token) => token.token },
    { name: "Name", cell: (token) => token.name },
    { name: "Role", cell: (token) => token.role },
    { name: "May", cell: mayOf },
    { name: "Made", cell: (token) => clockOf(token.made_at) },
    { name: "Expires", cell: (token) => (token.expires_at ? clockOf(token.expires_at) : "never") },
    { name: "State", cell: (token) => <Badge state={stateOf(token)} /> },
    {
      name: "Do",
      cell: (token) =>
        stateOf(token) === "good" ? (
          <Do
            doing={doing}
            action={revoke(token)}
            class="danger"
            sure={`Revoke token ${token.token} of ${token.name}? Whoever uses it is signed out, and it cannot be used again.`}
          >
            Revoke {token.token}
          </Do>
        ) : (
          "–"
        ),
    },
  ];
  return (
    <div class="columns uneven">
      <Card title="Tokens">
        <Wrong doing={doing} />
        <Shown data={data}>{({ tokens }) => <Table label="Tokens" columns={columns} rows={tokens} keyOf={(token) => token.token} />}</Shown>
      </Card>
      <MakeToken done={data.reload} />
    </div>
  );
}

/** What it is narrowed down to. */
function mayOf(token: Token): string {
  const what = token.scope ? { "read-only": "only read", "submit-only": "only submit" }[token.scope] : "all of its role";
  return token.site ? `${what}, of ${token.site}` : what;
}

const SCOPES = [["", "all that its role may"], ["read-only", "only read"], ["submit-only", "only submit jobs"]] as const;
const EXPIRIES = [["", "never"], ["86400", "after a day"], ["2592000", "after 30 days"], ["31536000", "after a year"]] as const;

function MakeToken({ done }: { done: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("user");
  const [scope, setScope] = useState("");
  const [site, setSite] = useState("");
  const [expires, setExpires] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const doing = useAction();
  const make = async (): Promise<void> => {
    const body = {
      role,
      name: name.trim(),
      ...(scope ? { scope: scope as Scope } : {}),
      ...(site.trim() && role === "owner" ? { site: site.trim() } : {}),
      ...(expires ? { expires_in: Number(expires) } : {}),
    };
    const made = await ask(api.POST("/v1/tokens", { body }));
    setSecret(made.secret);
    setName("");
    done();
  };
  return (
    <Card title="Make a token">
      <Field label="For whom" value={name} set={setName} hint="The name of a user or of an owner." />
      <Choice label="Role" value={role} set={(value) => setRole(value as Role)} choices={[["user", "user"], ["owner", "owner"], ["administrator", "administrator"]]} />
      <Choice label="What it may do" value={scope} set={setScope} choices={SCOPES} />
      {role === "owner" && <Field label="Only of this site" value={site} set={setSite} hint="All of theirs, without." />}
      <Choice label="Expires" value={expires} set={setExpires} choices={EXPIRIES} />
      <Wrong doing={doing} />
      <Do doing={doing} action={make} class="main" disabled={!name.trim()}>
        Make a token
      </Do>
      <div aria-live="polite">
        {secret && (
          <p class="note">
            It is shown this once: <code class="secret">{secret}</code>
          </p>
        )}
      </div>
    </Card>
  );
}
