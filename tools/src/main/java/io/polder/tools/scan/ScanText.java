package io.polder.tools.scan;

import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a scan prints: tables of what there is, and on request a list of every use. */
final class ScanText {
    /** Longer names of artifacts lose their beginning in tables. */
    private static final int NAME_MAX = 40;

    /** Problems that are printed where no list is asked for. */
    private static final int PROBLEMS_SHOWN = 10;

    private static final String NOTHING = "-";

    private final List<ArtifactResult> artifacts;
    private final ArtifactResult total;
    private final Set<UseKind> lookedFor;
    private final StringBuilder text = new StringBuilder();

    private ScanText(List<PathResult> paths, Set<UseKind> kinds) {
        lookedFor = EnumSet.copyOf(UseKind.ARENAS);
        lookedFor.retainAll(kinds);
        artifacts = paths.stream().flatMap(path -> path.artifacts().stream()).toList();
        total = ArtifactResult.total(artifacts);
    }

    /**
     * The whole text.
     *
     * @param kinds of uses that were looked for
     * @param list whether every use and every problem is in it
     */
    static String of(List<PathResult> paths, Set<UseKind> kinds, boolean list) {
        ScanText text = new ScanText(paths, kinds);
        text.summary();
        text.arenas();
        text.others();
        if (list) {
            text.uses();
        }
        text.problems(list ? Integer.MAX_VALUE : PROBLEMS_SHOWN);
        return text.text.toString();
    }

    private void summary() {
        line("%s in %s.", classes(), counted(artifacts.size(), "artifact", "artifacts"));
        long confined = total.count(UseKind.CONFINED);
        if (confined > 0) {
            line(
                    "Pooling would serve %,d of %,d confined arenas: those that the method which"
                            + " opens them closes.",
                    total.poolingWouldServe(), confined);
        }
    }

    private String classes() {
        String all = counted(total.classes(), "class", "classes");
        return total.scanned() == total.classes()
                ? all
                : String.format(Locale.ROOT, "%,d of %s", total.scanned(), all);
    }

    private void arenas() {
        Table table = new Table().column("artifact", Align.LEFT).column("arena", Align.LEFT);
        table.column("opened", Align.RIGHT);
        for (Fate fate : Fate.values()) {
            table.column(fate.label(), Align.RIGHT);
        }
        int rows = 0;
        for (ArtifactResult artifact : withTotal()) {
            rows += arenas(table, artifact);
        }
        if (rows > 0) {
            text.append('\n').append(table.text());
        } else if (lookedFor.equals(UseKind.ARENAS)) {
            line("No arena is opened.");
        } else if (!lookedFor.isEmpty()) {
            line("No such arena is opened: %s.", UseKind.labels(lookedFor));
        }
    }

    private int arenas(Table table, ArtifactResult artifact) {
        int rows = 0;
        for (UseKind kind : UseKind.ARENAS) {
            long opened = artifact.count(kind);
            if (opened > 0) {
                List<String> row = new ArrayList<>();
                row.add(rows == 0 ? shortened(artifact.name()) : "");
                row.add(kind.label());
                row.add(number(opened));
                for (Fate fate : Fate.values()) {
                    boolean closeable = UseKind.CLOSEABLE.contains(kind);
                    row.add(closeable ? number(artifact.count(kind, fate)) : NOTHING);
                }
                table.row(row.toArray(String[]::new));
                rows++;
            }
        }
        return rows;
    }

    private void others() {
        List<UseKind> kinds =
                List.of(
                        UseKind.SLICING,
                        UseKind.PREFIX,
                        UseKind.ALLOCATE,
                        UseKind.REINTERPRET,
                        UseKind.UNSAFE,
                        UseKind.UNSAFE_OBJECT);
        Table table = new Table().column("artifact", Align.LEFT).column("classes", Align.RIGHT);
        kinds.forEach(kind -> table.column(kind.label(), Align.RIGHT));
        int rows = 0;
        for (ArtifactResult artifact : withTotal()) {
            if (kinds.stream().anyMatch(kind -> artifact.count(kind) > 0)) {
                List<String> row = new ArrayList<>();
                row.add(shortened(artifact.name()));
                row.add(number(artifact.classes()));
                kinds.forEach(kind -> row.add(number(artifact.count(kind))));
                table.row(row.toArray(String[]::new));
                rows++;
            }
        }
        if (rows > 0) {
            text.append('\n').append(table.text());
        }
    }

    /** A total only where it adds up more than one. */
    private List<ArtifactResult> withTotal() {
        List<ArtifactResult> rows = new ArrayList<>(artifacts);
        if (artifacts.stream().filter(artifact -> !artifact.uses().isEmpty()).count() > 1) {
            rows.add(total);
        }
        return rows;
    }

    private void uses() {
        for (ArtifactResult artifact : artifacts) {
            if (!artifact.uses().isEmpty()) {
                Table table =
                        new Table()
                                .column("use", Align.LEFT)
                                .column("", Align.LEFT)
                                .column("where", Align.LEFT);
                for (Use use : artifact.uses()) {
                    table.row(use.call(), remark(use), use.place().frame());
                }
                line("%n%s", artifact.name());
                text.append('\n').append(table.text());
            }
        }
    }

    private static String remark(Use use) {
        Verdict verdict = use.verdict();
        UseKind allocator = use.allocator();
        if (verdict != null) {
            return verdict.label();
        }
        return allocator == null ? "" : "from " + allocator.label();
    }

    private void problems(int shown) {
        List<String> lines = new ArrayList<>();
        for (ArtifactResult artifact : artifacts) {
            for (Problem problem : artifact.problems()) {
                String where =
                        problem.where().equals(artifact.name())
                                ? problem.where()
                                : artifact.name() + ": " + problem.where();
                lines.add("  " + where + ": " + problem.what());
            }
        }
        if (!lines.isEmpty()) {
            line("%nLeft out, %,d:", lines.size());
            lines.stream().limit(shown).forEach(problem -> text.append(problem).append('\n'));
            if (lines.size() > shown) {
                line("  and %,d more; --list prints them all", lines.size() - shown);
            }
        }
    }

    private void line(String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format + "%n", arguments));
    }

    private static String counted(long number, String one, String more) {
        return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : more);
    }

    private static String number(long number) {
        return number == 0 ? NOTHING : String.format(Locale.ROOT, "%,d", number);
    }

    private static String shortened(String name) {
        return name.length() <= NAME_MAX
                ? name
                : "..." + name.substring(name.length() - NAME_MAX + "...".length());
    }
}
