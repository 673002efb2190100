package io.polder.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rules for every text file, whatever its language. */
final class TextRules {

    private static final Pattern TO_DO = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|X" + "XX)\\b");
    private static final Pattern ISSUE = Pattern.compile("(#|\\bissue )\\d+");
    private static final Pattern INLINE_CODE = Pattern.compile("`[^`]*`");

    /** Directories that exist on one machine only: work areas and home directories. */
    private static final Pattern MACHINE_PATH =
            Pattern.compile(
                    "(?<![\\w./-])/(wo" + "rk|root|home/[a-z]\\w*|Users/[a-zA-Z]\\w*|tmp/wt)/");

    private TextRules() {}

    static List<Violation> whitespace(Tree tree) {
        List<Violation> found = new ArrayList<>();
        for (SourceFile file : handwritten(tree)) {
            found.addAll(Tree.lines(file, line -> line.indexOf('\t') >= 0, "tab character"));
            found.addAll(Tree.lines(file, line -> line.endsWith(" "), "trailing space"));
            if (file.text().indexOf('\r') >= 0) {
                found.add(new Violation(file.path(), 0, "carriage return"));
            }
            if (!file.text().isEmpty() && !file.text().endsWith("\n")) {
                found.add(new Violation(file.path(), 0, "no newline at the end"));
            }
        }
        return found;
    }

    static List<Violation> unfinished(Tree tree) {
        List<Violation> found = new ArrayList<>();
        for (SourceFile file : handwritten(tree)) {
            found.addAll(
                    Tree.lines(
                            file,
                            line -> {
                                String prose = INLINE_CODE.matcher(line).replaceAll("");
                                return TO_DO.matcher(prose).find() && !ISSUE.matcher(line).find();
                            },
                            "unfinished work that names no issue (#number)"));
        }
        return found;
    }

    static List<Violation> machinePaths(Tree tree) {
        List<Violation> found = new ArrayList<>();
        for (SourceFile file : tree.texts()) {
            found.addAll(
                    Tree.lines(
                            file,
                            line -> MACHINE_PATH.matcher(line).find(),
                            "a path that exists on one machine only"));
        }
        return found;
    }

    private static List<SourceFile> handwritten(Tree tree) {
        return tree.texts().stream().filter(SourceFile::isHandwritten).toList();
    }
}
