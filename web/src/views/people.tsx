// Users and tokens, for administrators.
import { useState } from "preact/hooks";
import { api, ask } from "../api/client";
import type { Role, Token, User } from "../api/types";
import { useData } from "../live/data";
import { Do, useAction, Wrong } from "../parts/action";
import { Badge } from "../parts/badge";
import { Card } from "../parts/card";
import { Choice, Field } from "../parts/field";
import { clockOf, exactly } from "../parts/format";
import { Link } from "../parts/link";
import { Empty, Shown } from "../parts/states";
import { type Column, Table } from "../parts/table";

export const PeopleView = () => (
  <>
    <h1>People</h1>
    <Users />
    <Tokens />
  </>
);

function Users() {
  const data = useData(() => ask(api.GET("/v1/users")), []);
  const columns: Column<User>[] = [
    { name: "User", cell: (user) => <Link to={`/jobs?user=${encodeURIComponent(user.name)}`}>{user.name}</Link> },
    { name: "Group", cell: (user) => user.group ?? "–" },
    { name: "Share", right: true, cell: (user) => user.share },
    { name: "Credit", right: true, cell: (user) => exactly(Math.abs(user.lowest)) },
    { name: "Account", cell: (user) => <Link to={`/money?account=${encodeURIComponent(`user:${user.name}`)}`}>Account of {user.name}</Link> },
  ];
  return (
    <div class="columns uneven">
      <Card title="Users">
        <Shown data={data}>
          {({ users }) => (users.length === 0 ? <Empty>There are no users yet: add one.</Empty> : <Table label="Users" columns={columns} rows={users} keyOf={(user) => user.name} />)}
        </Shown>
      </Card>
      <SetUser done={data.reload} />
    </div>
  );
}

function SetUser({ done }: { done: () => void }) {
  const [name, setName] = useState("");
  const [group, setGroup] = useState("");
  const [share, setShare] = useState("1");
  const doing = useAction();
  const save = async (): Promise<void> => {
    const body = { share: Number(share), ...(group.trim() ? { group: group.trim() } : {}) };
    await ask(api.PUT("/v1/users/{user}", { params: { path: { user: name.trim() } }, body }));
    setName("");
    done();
  };
  return (
    <Card title="Add a user, or change one">
      <Field label="Name" value={name} set={setName} />
      <Field label="Group" value={group} set={setGroup} hint="For budgets and rules of access." />
      <Field label="Share" type="number" min={1} value={share} set={setShare} hint="What they may use, against the others." />
      <Wrong doing={doing} />
      <Do doing={doing} action={save} class="main" disabled={!name.trim() || !(Number(share) >= 1)}>
        Save the user
      </Do>
    </Card>
  );
}

const stateOf = (token: Token): string => (token.revoked_at ? "revoked" : token.expires_at && Date.parse(token.expires_at) < Date.now() ? "expired" : "good");

function Tokens() {
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
    { name: "Made", cell: (token) => clockOf(token.made_at) },
    { name: "State", cell: (token) => <Badge state={stateOf(token)} /> },
    {
      name: "Do",
      cell: (token) =>
        stateOf(token) === "good" ? (
          <Do doing={doing} action={revoke(token)} class="danger">
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

function MakeToken({ done }: { done: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("user");
  const [secret, setSecret] = useState<string | null>(null);
  const doing = useAction();
  const make = async (): Promise<void> => {
    const made = await ask(api.POST("/v1/tokens", { body: { role, name: name.trim() } }));
    setSecret(made.secret);
    setName("");
    done();
  };
  return (
    <Card title="Make a token">
      <Field label="For whom" value={name} set={setName} hint="The name of a user or of an owner." />
      <Choice label="Role" value={role} set={(value) => setRole(value as Role)} choices={[["user", "user"], ["owner", "owner"], ["administrator", "administrator"]]} />
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
