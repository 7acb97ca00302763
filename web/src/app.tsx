// The page as a whole: who is signed in decides what there is to see.
import { useEffect, useState } from "preact/hooks";
import { wordsOf } from "./api/client";
import type { Me } from "./api/types";
import { Frame } from "./frame";
import { look, me } from "./live/session";
import { useStore } from "./live/store";
import { Loading } from "./parts/states";
import { place } from "./route";
import { SignIn } from "./views/sign-in";
import { viewAt } from "./views";

export function App() {
  const who = useStore(me);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    const enter = (): void => {
      look().then(
        () => setTrouble(null),
        (error: unknown) => {
          setTrouble(wordsOf(error));
          setTimeout(enter, 2_000);
        },
      );
    };
    enter();
  }, []);
  if (who === undefined) {
    return (
      <main class="alone">
        {trouble === null ? <Loading /> : <p class="note bad">{trouble} Trying again.</p>}
      </main>
    );
  }
  return who === null ? <SignIn /> : <Inside who={who} />;
}

function Inside({ who }: { who: Me }) {
  const where = useStore(place);
  const { name, view } = viewAt(where, who);
  useEffect(() => {
    document.title = `${name} · Walras`;
  }, [name]);
  return <Frame who={who}>{view}</Frame>;
}
