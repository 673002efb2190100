package io.polder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.tools.terminal.Terminal;

import org.junit.jupiter.api.Test;

import picocli.AutoComplete;
import picocli.CommandLine;

class ShellFilesTest {
    private final CommandLine command = Main.commandLine(Experiments.ALL, Terminal.progress());

    @Test
    void manualPage_everyCommand_hasASectionWithItsHelp() {
        String page = ShellFiles.manualPage(command);
        assertThat(page).startsWith(".TH POLDER 1\n.SH NAME\npolder \\- ");
        for (String name : command.getSubcommands().keySet()) {
            assertThat(page).contains("\n.SH polder " + name + "\n.nf\nUsage: polder " + name);
        }
    }

    @Test
    void escaped_whatRoffReadsOtherwise_isText() {
        assertThat(ShellFiles.escaped(".x")).isEqualTo("\\&.x");
        assertThat(ShellFiles.escaped("'x")).isEqualTo("\\&'x");
        assertThat(ShellFiles.escaped("a\\b --c")).isEqualTo("a\\eb \\-\\-c");
    }

    @Test
    void completion_everyCommand_isKnown() {
        String script = AutoComplete.bash("polder", command);
        for (String name : command.getSubcommands().keySet()) {
            assertThat(script).contains("_picocli_polder_" + name + "()");
        }
    }

    @Test
    void completion_experiments_areOffered() {
        String script = AutoComplete.bash("polder", command);
        for (String name : Experiments.ALL.names()) {
            assertThat(section(script, "lab")).contains('"' + name + '"');
        }
    }

    @Test
    void completion_run_hasTheOptionsOfItsHelp() {
        String script = AutoComplete.bash("polder", command);
        assertThat(section(script, "run"))
                .contains("'--netty'", "'--help'", "'--pool'", "'--report'", "'--json'")
                .contains("compgen -f");
    }

    private static String section(String script, String name) {
        String from = script.substring(script.indexOf("function _picocli_polder_" + name + "()"));
        return from.substring(0, from.indexOf("\n}\n"));
    }
}
