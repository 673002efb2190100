package io.polder.tidy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the library promises must be held by tests. The document has a heading for each type that
 * the list of the API has, and below it rows of a table:
 *
 * <pre>
 * | of              | promise                | held by                           |
 * | `take`, `give`  | nothing is lost        | `PageTest`, `PageErrorTest.take_` |
 * | the rest        | says what is taken     | `PageSpaceTest`                   |
 * </pre>
 *
 * <p>Each member of a type is named in a row, or a row is of the rest. Each row names a test at
 * least: a class, or a method of one.
 */
final class PromiseRules {

    static final String DOCUMENT = "docs/promises.md";
    private static final String API = "core/api.txt";
    private static final String REST = "the rest";
    private static final Set<String> OF_EVERY_RECORD_OR_ENUM =
            Set.of("equals", "hashCode", "toString", "values", "valueOf");
    private static final Pattern METHOD = Pattern.compile("([\\w<>]+)\\(");
    private static final Pattern CONSTANT = Pattern.compile(" static final \\S+ (\\w+)( =.*)?$");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern DECLARED = Pattern.compile("\\bvoid (\\w+)\\(");

    private final List<Violation> found = new ArrayList<>();
    private final Map<String, Set<String>> api;
    private final Map<String, Set<String>> tests;
    private final Map<String, Set<String>> promised = new HashMap<>();

    private PromiseRules(Map<String, Set<String>> api, Map<String, Set<String>> tests) {
        this.api = api;
        this.tests = tests;
    }

    static List<Violation> check(Tree tree) {
        PromiseRules rules = new PromiseRules(api(tree), tests(tree));
        tree.markdown().filter(file -> file.path().equals(DOCUMENT)).forEach(rules::read);
        rules.compare();
        return rules.found;
    }

    /** The members of each type, by its name without the package. */
    static Map<String, Set<String>> api(Tree tree) {
        Map<String, Set<String>> api = new LinkedHashMap<>();
        Set<String> members = new TreeSet<>();
        for (SourceFile file : tree.texts()) {
            if (!file.path().equals(API)) {
                continue;
            }
            for (String line : file.lines()) {
                if (!line.startsWith(" ") && !line.startsWith("#") && line.contains(": ")) {
                    String name = line.substring(0, line.indexOf(": "));
                    members = new TreeSet<>();
                    api.put(name.substring(name.lastIndexOf('.') + 1).replace('$', '.'), members);
                } else if (line.startsWith(" ")) {
                    Matcher method = METHOD.matcher(line);
                    Matcher constant = CONSTANT.matcher(line);
                    if (method.find()) {
                        members.add(method.group(1));
                    } else if (constant.find()) {
                        members.add(constant.group(1));
                    }
                }
            }
        }
        api.values()
                .forEach(
                        names -> {
                            names.removeAll(OF_EVERY_RECORD_OR_ENUM);
                            names.remove("<init>");
                        });
        return api;
    }

    /** The methods of each class of the tests of the core, those it inherits left out. */
    private static Map<String, Set<String>> tests(Tree tree) {
        Map<String, Set<String>> tests = new HashMap<>();
        tree.java()
                .filter(file -> file.path().startsWith("core/src/test/"))
                .forEach(
                        file -> {
                            Set<String> methods =
                                    tests.computeIfAbsent(
                                            TestRules.simpleName(file), _ -> new HashSet<>());
                            Matcher method =
                                    DECLARED.matcher(JavaText.withoutComments(file.text()));
                            while (method.find()) {
                                methods.add(method.group(1));
                            }
                        });
        return tests;
    }

    private void read(SourceFile document) {
        String type = "";
        List<String> lines = Markdown.withoutFences(document);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.startsWith("## ")) {
                type = line.substring(3).strip().replace("`", "");
                promised.put(type, new HashSet<>());
                if (!api.containsKey(type)) {
                    report(i + 1, "not in " + API + ": " + type);
                }
            } else if (line.startsWith("| ") && !line.startsWith("| of ")) {
                row(type, line.split("(?<!\\\\)\\|", -1), i + 1);
            }
        }
    }

    private void row(String type, String[] cells, int line) {
        if (cells.length != 5) {
            report(line, "a row has three cells");
            return;
        }
        Set<String> members = api.getOrDefault(type, Set.of());
        Set<String> named = promised.getOrDefault(type, new HashSet<>());
        if (cells[1].strip().equals(REST)) {
            named.addAll(members);
        }
        Matcher member = CODE.matcher(cells[1]);
        while (member.find()) {
            named.add(member.group(1));
            if (!members.contains(member.group(1))) {
                report(line, "not shown: " + type + "." + member.group(1));
            }
        }
        Matcher test = CODE.matcher(cells[3]);
        boolean held = false;
        while (test.find()) {
            held = true;
            String[] name = test.group(1).split("\\.", 2);
            Set<String> methods = tests.get(name[0]);
            if (methods == null || (name.length == 2 && !methods.contains(name[1]))) {
                report(line, "no such test: " + test.group(1));
            }
        }
        if (!held) {
            report(line, "held by no test: " + cells[2].strip());
        }
    }

    private void compare() {
        api.forEach(
                (type, members) -> {
                    Set<String> named = promised.get(type);
                    if (named == null) {
                        report(0, "no promises of " + type);
                        return;
                    }
                    members.stream()
                            .filter(member -> !named.contains(member))
                            .forEach(member -> report(0, "no promise of " + type + "." + member));
                });
    }

    private void report(int line, String message) {
        found.add(new Violation(DOCUMENT, line, message));
    }
}
