// Users with their limits, and tokens, for administrators.
import { Limits } from "./limits";
import { Tokens } from "./tokens";
import { Users } from "./users";

export const PeopleView = () => (
  <>
    <h1>People</h1>
    <Users />
    <Limits />
    <Tokens />
  </>
);
