package io.polder.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The Java code of a document is code that tests compile: each of its blocks is a region of a
 * {@code ...Snippets.java} among tests, below the imports that the region needs. Such a file names
 * the document of its regions in the comment of its class.
 */
final class SnippetRules {
    private static final Pattern DOCUMENT = Pattern.compile("\\bdocs/[\\w./-]+\\.md\\b");
    private static final Pattern REGION =
            Pattern.compile("// @start region=\"(\\w+)\"\\n(.*?)// @end", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w*");
    private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)\\n```", Pattern.DOTALL);
    private static final String TEST = "/src/test/java/";

    private SnippetRules() {}

    /** Each document that is named by snippets has all of them, and no other Java. */
    static List<Violation> check(Tree tree) {
        List<Violation> found = new ArrayList<>();
        for (SourceFile document : tree.markdown().toList()) {
            List<String> compiled = new ArrayList<>();
            tree.java()
                    .filter(file -> file.isTest() && file.path().endsWith("Snippets.java"))
                    .filter(file -> isOf(file, document))
                    .forEach(file -> compiled.addAll(blocks(tree, file)));
            if (!compiled.isEmpty()) {
                compare(document, compiled, found);
            }
        }
        return found;
    }

    private static boolean isOf(SourceFile snippets, SourceFile document) {
        Matcher named = DOCUMENT.matcher(snippets.text());
        return named.find() && named.group().equals(document.path());
    }

    private static void compare(SourceFile document, List<String> compiled, List<Violation> found) {
        List<String> missing = new ArrayList<>(compiled);
        Matcher block = BLOCK.matcher(document.text());
        while (block.find()) {
            if (!missing.remove(block.group(1))) {
                int line = (int) document.text().substring(0, block.start()).lines().count() + 1;
                found.add(
                        new Violation(document.path(), line, "Java that is no region of snippets"));
            }
        }
        for (String each : missing) {
            found.add(new Violation(document.path(), 0, "without these lines:\n" + each));
        }
    }

    /** The regions of a file, each below its imports. */
    private static List<String> blocks(Tree tree, SourceFile file) {
        List<String> blocks = new ArrayList<>();
        Matcher region = REGION.matcher(file.text());
        while (region.find()) {
            String lines = region.group(2).stripIndent().strip();
            blocks.add(imports(tree, file, lines) + "\n\n" + lines);
        }
        return blocks;
    }

    /** Those of the file that the lines use, and what of its own package is shown to users. */
    private static String imports(Tree tree, SourceFile file, String lines) {
        TreeSet<String> names = new TreeSet<>();
        TYPE.matcher(lines).results().forEach(type -> names.add(type.group()));
        TreeSet<String> imports = new TreeSet<>();
        file.lines().stream()
                .filter(line -> line.startsWith("import "))
                .filter(line -> names.contains(line.replaceAll(".*\\.|;", "")))
                .forEach(imports::add);
        String home = file.path().substring(0, file.path().lastIndexOf('/') + 1);
        String main = home.replace(TEST, "/src/main/java/");
        String place = home.substring(home.indexOf(TEST) + TEST.length()).replace('/', '.');
        names.stream()
                .filter(name -> tree.contains(main + name + ".java"))
                .forEach(name -> imports.add("import " + place + name + ";"));
        return imports.stream().collect(Collectors.joining("\n"));
    }
}
