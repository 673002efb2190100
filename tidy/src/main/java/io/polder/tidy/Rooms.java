package io.polder.tidy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.library.Architectures;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rooms of the core, and which room may know which.
 *
 * <pre>
 *   (root)  what users call
 *   arena   block   heap
 *     |    /  | \    |  \
 *   chunk   page  gate      background
 *      \     |   /
 *        memory
 * </pre>
 *
 * <p>The background and the events know no room; leaks know both. Arena, page, heap and the root
 * know the background, all but memory and gate the events, arena, page and the root leaks.
 *
 * <p>A room need not exist yet, but no package may exist that is not in a room.
 */
final class Rooms {

    /** Room, and the rooms below that it may know. */
    private static final Map<String, List<String>> MAY_KNOW =
            Map.of(
                    "memory", List.of(),
                    "background", List.of(),
                    "event", List.of(),
                    "leak", List.of("background", "event"),
                    "chunk", List.of("memory", "event"),
                    "page", List.of("memory", "background", "event", "leak"),
                    "gate", List.of("memory"),
                    "arena", List.of("memory", "chunk", "page", "background", "event", "leak"),
                    "block", List.of("memory", "chunk", "page", "gate", "event", "leak"),
                    "heap", List.of("memory", "page", "gate", "background", "event"));

    /** What users call: the packages that may be exported. */
    static final Set<String> EXPORTED = Set.of("io.polder", "io.polder.heap", "io.polder.page");

    private Rooms() {}

    /** Dependencies against the arrows, for rooms that are subpackages of {@code root}. */
    static List<String> againstArrows(String root, JavaClasses classes) {
        Architectures.LayeredArchitecture plan =
                Architectures.layeredArchitecture()
                        .consideringOnlyDependenciesInLayers()
                        .withOptionalLayers(true)
                        .layer("(root)")
                        .definedBy(root);
        for (String room : MAY_KNOW.keySet()) {
            plan = plan.layer(room).definedBy(root + "." + room + "..");
        }
        for (Map.Entry<String, List<String>> entry : MAY_KNOW.entrySet()) {
            String[] below = entry.getValue().toArray(String[]::new);
            plan =
                    below.length == 0
                            ? plan.whereLayer(entry.getKey()).mayNotAccessAnyLayer()
                            : plan.whereLayer(entry.getKey()).mayOnlyAccessLayers(below);
        }
        return plan.evaluate(classes).getFailureReport().getDetails();
    }

    /** Packages that are in no room. */
    static Set<String> unknownPackages(String root, JavaClasses classes) {
        Set<String> unknown = new TreeSet<>();
        for (JavaClass c : classes) {
            String name = c.getPackageName();
            boolean known =
                    name.equals(root)
                            || MAY_KNOW.keySet().stream()
                                    .map(room -> root + "." + room)
                                    .anyMatch(r -> name.equals(r) || name.startsWith(r + "."));
            if (!known) {
                unknown.add(name);
            }
        }
        return unknown;
    }

    /** Packages of Polder that memory, the lowest room, knows besides itself. */
    static Set<String> knownToMemory(String root, JavaClasses classes) {
        Set<String> known = new TreeSet<>();
        if (!classes.containPackage(root + ".memory")) {
            return known;
        }
        JavaPackage memory = classes.getPackage(root + ".memory");
        memory.getClassDependenciesFromThisPackageTree().stream()
                .map(dependency -> dependency.getTargetClass().getPackageName())
                .filter(name -> name.equals("io.polder") || name.startsWith("io.polder."))
                .filter(name -> !name.startsWith(root + ".memory"))
                .forEach(known::add);
        return known;
    }

    /** What a module descriptor shows or needs and should not. */
    static Set<String> leaks(ModuleDescriptor module) {
        Set<String> leaks = new TreeSet<>();
        for (ModuleDescriptor.Exports exports : module.exports()) {
            if (exports.isQualified() || !EXPORTED.contains(exports.source())) {
                leaks.add("exports " + exports);
            }
        }
        module.opens().forEach(opens -> leaks.add("opens " + opens));
        for (Requires requires : module.requires()) {
            boolean ofJdk =
                    requires.name().startsWith("java.") || requires.name().startsWith("jdk.");
            boolean atRunTime = !requires.modifiers().contains(Requires.Modifier.STATIC);
            if (!ofJdk && atRunTime) {
                leaks.add("requires " + requires);
            }
        }
        return leaks;
    }
}
