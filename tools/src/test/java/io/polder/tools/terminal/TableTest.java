package io.polder.tools.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.tools.terminal.Table.Align;

import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void text_alignsColumns() {
        String text =
                new Table()
                        .column("what", Align.LEFT)
                        .column("ns", Align.RIGHT)
                        .column("", Align.LEFT)
                        .row("a", "1.5", "reached")
                        .row("longer", "1000.0", "")
                        .text();

        assertThat(text)
                .isEqualTo(
                        """
                        what        ns
                        ------  ------  -------
                        a          1.5  reached
                        longer  1000.0
                        """);
    }

    @Test
    void row_hasOneCellForEachColumn() {
        Table table = new Table().column("one", Align.LEFT);

        assertThatThrownBy(() -> table.row("a", "b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cells=2, columns=1");
    }
}
