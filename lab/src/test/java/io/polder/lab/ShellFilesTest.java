package io.polder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.tools.terminal.Terminal;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;

class ShellFilesTest {
    private final CommandLine command = Main.commandLine(Experiments.ALL, Terminal.progress());

    @Test
    void manualPage_everyCommand_hasASectionWithItsHelp() {
        String page = ShellFiles.manualPage(command, "Usage: polder run it\n.odd\n");
        assertThat(page).startsWith(".TH POLDER 1\n.SH NAME\npolder \\- ");
        for (String name : command.getSubcommands().keySet()) {
            assertThat(page).contains("\n.SH polder " + name + "\n.nf\nUsage: polder " + name);
        }
        assertThat(page).contains("\nUsage: polder run it\n\\&.odd\n.fi\n");
    }

    @Test
    void escaped_whatRoffReadsOtherwise_isText() {
        assertThat(ShellFiles.escaped(".x")).isEqualTo("\\&.x");
        assertThat(ShellFiles.escaped("'x")).isEqualTo("\\&'x");
        assertThat(ShellFiles.escaped("a\\b --c")).isEqualTo("a\\eb \\-\\-c");
    }

    @Test
    void completion_everyCommand_isKnown() {
        String script = ShellFiles.completion(command, "");
        for (String name : command.getSubcommands().keySet()) {
            assertThat(script).contains("_picocli_polder_" + name + "()");
        }
    }

    @Test
    void completion_experiments_areOffered() {
        String script = ShellFiles.completion(command, "");
        for (String name : Experiments.ALL.names()) {
            assertThat(section(script, "lab")).contains('"' + name + '"');
        }
    }

    @Test
    void completion_run_hasTheOptionsOfItsHelp() {
        String help =
                """
                Usage: polder run [OPTIONS] java ARGUMENT...
                      --pool=KIND         confined or --none.
                      --json[=FILE]       Count.
                      --report            Print the reports.
                  -h, --help              Show this help message and exit.
                """;
        assertThat(section(ShellFiles.completion(command, help), "run"))
                .contains("local flag_opts=\"'--report' '--help'\"")
                .contains("local arg_opts=\"'--pool' '--json'\"")
                .contains("compgen -f");
    }

    private static String section(String script, String name) {
        String from = script.substring(script.indexOf("function _picocli_polder_" + name + "()"));
        return from.substring(0, from.indexOf("\n}\n"));
    }
}
