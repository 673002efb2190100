package io.polder.lab.experiments.fragmentation;

import io.polder.lab.experiments.fragmentation.SmallThenLarge.Outcome;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import java.util.List;
import java.util.Locale;

/** What the fragmentation experiment prints: a table, the workload, and a map of each space. */
final class FragmentationText {
    private FragmentationText() {}

    /** The whole text. */
    static String of(List<Outcome> outcomes) {
        StringBuilder text = new StringBuilder(table(outcomes));
        text.append('\n').append(workload());
        for (Outcome outcome : outcomes) {
            text.append("\nMap of ").append(outcome.label()).append(":\n").append(outcome.map());
        }
        return text.toString();
    }

    private static String table(List<Outcome> outcomes) {
        Table table =
                new Table()
                        .column("policy", Align.LEFT)
                        .column("large blocks", Align.RIGHT)
                        .column("budget used", Align.RIGHT);
        for (Outcome outcome : outcomes) {
            table.row(
                    outcome.label(),
                    Long.toString(outcome.largeBlocks()),
                    percent(outcome.utilisation()));
        }
        return table.text();
    }

    private static String workload() {
        return String.format(
                Locale.ROOT,
                "%d owners with a block of %d bytes each, all closed; then one owner with blocks of"
                        + " %d bytes,\n"
                        + "until a budget of %d MiB has no room for another one. Used: the bytes of"
                        + " these blocks.\n",
                SmallThenLarge.SMALL_OWNERS,
                SmallThenLarge.SMALL_BYTES,
                SmallThenLarge.LARGE_BYTES,
                SmallThenLarge.BUDGET_BYTES >> 20);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.2f %%", share * 100);
    }
}
