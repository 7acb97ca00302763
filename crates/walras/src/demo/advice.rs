//! What the demo tells people: where everything is, and what to try.

use super::home::DemoHome;
use super::jobs::Samples;
use super::service::Service;

impl DemoHome {
    /// Where everything is.
    pub(super) fn where_to_look(&self, service: &Service, known: u64, pages: &[String; 2]) -> String {
        let shown = self.directory.display();
        let found = if self.found {
            format!("{shown} was here already, with {known} jobs: the demo carries on\n")
        } else {
            format!("{shown} is new: a VO of four sites, three users and four owners\n")
        };
        let taken = service.taken.map_or_else(String::new, |taken| {
            format!("{taken} is in use by somebody else: another port was taken\n")
        });
        let url = &service.url;
        let [page, of_user] = pages;
        format!(
            "{found}{taken}\n\
             in a browser    {page}\n\
             as the user ada {of_user}\n\
             each signs in once, within ten minutes; afterwards the tokens below do\n\n\
             the service     {url}\n\
             its API         {url}/docs\n\
             configuration   {shown}/walras.toml\n\
             job files       {shown}/jobs/\n\
             tokens          {shown}/tokens/ada, ben, cleo (users); university, laboratory, cumulus (owners)\n\
             administrator   {}\n\
             log, journal    {shown}/service.log, {shown}/data/journal.db\n\n",
            service.token_file.display()
        )
    }

    /// What to type next.
    pub(super) fn what_to_try(&self, samples: &Samples) -> String {
        let program = std::env::args().next().unwrap_or_else(|| "walras".to_owned());
        let shown = self.directory.display();
        let Samples { url, impossible, local, .. } = samples;
        let tries = [
            ("walras jobs".to_owned(), "what became of her jobs"),
            (format!("walras explain {impossible}"), "why it does not run, and what would help"),
            (format!("walras output {local}"), "what a real process printed"),
            (
                format!("walras quote {shown}/jobs/quoted.yaml"),
                "its price and its time; then: walras accept NUMBER",
            ),
            (
                format!("walras submit {shown}/jobs/report.sh --wait"),
                "a script with #SBATCH and #WALRAS lines",
            ),
            ("walras statement".to_owned(), "where her money went"),
            ("walras sites --nodes; walras offers".to_owned(), "what is for sale"),
            (format!("walras watch --token-file {shown}/tokens/university"), "what an owner sees"),
            (format!("walras fault campus node-lost n1 --token-file {shown}/data/administrator.token"), ""),
        ];
        let width = tries[..8].iter().map(|(command, _)| command.len()).max().unwrap_or_default();
        let lines =
            tries.map(|(command, why)| format!("  {}\n", format!("{command:<width$}  {why}").trim_end()));
        format!(
            "\nTo try, in another terminal, as ada:\n\
             \x20 export WALRAS_URL={url} WALRAS_TOKEN=$(cat {shown}/tokens/ada); alias walras={program}\n{}\n",
            lines.concat()
        )
    }
}
