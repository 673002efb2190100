package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;

class ArchitectureTest {

    private static final Path CORE = Repository.root().resolve("core/target/classes");
    private static final String CANARY = "io.polder.tidy.canary";

    @Test
    void core_dependencies_followTheArrows() {
        assertThat(Rooms.againstArrows("io.polder", core())).isEmpty();
        assertThat(Rooms.knownToMemory("io.polder", core())).isEmpty();
    }

    @Test
    void core_packages_areRooms() {
        assertThat(Rooms.unknownPackages("io.polder", core())).isEmpty();
    }

    @Test
    void core_module_showsOnlyWhatUsersCall() {
        ModuleDescriptor module =
                ModuleFinder.of(CORE).find("io.polder").orElseThrow().descriptor();
        assertThat(Rooms.leaks(module)).isEmpty();
    }

    @Test
    void core_locks_areNoneThatUsersCanHold() throws IOException {
        assertThat(VisibleLocks.of(core(), Rooms.EXPORTED)).isEmpty();
    }

    @Test
    void locks_canary_areCaught() throws IOException {
        assertThat(VisibleLocks.of(canary(), Set.of(CANARY)))
                .containsExactly(
                        CANARY + ".HiddenLock.ofThis locks " + CANARY + ".HiddenLock",
                        CANARY + ".VisibleLock.ofArgument locks " + CANARY + ".VisibleLock",
                        CANARY + ".VisibleLock.ofClass locks class " + CANARY + ".VisibleLock",
                        CANARY + ".VisibleLock.ofField locks java.lang.foreign.Arena",
                        CANARY + ".VisibleLock.ofMethod locks this",
                        CANARY + ".VisibleLock.ofThis locks " + CANARY + ".VisibleLock");
    }

    @Test
    void arrows_canary_isCaught() {
        assertThat(Rooms.againstArrows(CANARY, canary()))
                .isNotEmpty()
                .allMatch(detail -> detail.contains(CANARY + ".memory.LooksUp"));
        assertThat(Rooms.knownToMemory(CANARY, canary())).containsExactly(CANARY + ".chunk");
    }

    @Test
    void packages_canary_isCaught() {
        assertThat(Rooms.unknownPackages(CANARY, canary())).containsExactly(CANARY + ".attic");
    }

    @Test
    void module_canary_isCaught() {
        ModuleDescriptor module =
                ModuleDescriptor.newModule("io.polder")
                        .exports("io.polder")
                        .exports("io.polder.memory")
                        .exports("io.polder.heap", Set.of("io.polder.lab"))
                        .opens("io.polder.page")
                        .requires("java.base")
                        .requires(Set.of(Requires.Modifier.STATIC), "org.jspecify")
                        .requires("org.slf4j")
                        .build();
        assertThat(Rooms.leaks(module)).hasSize(4);
    }

    /** Read once for all tests: that takes seconds. */
    private static final class Imported {
        static final JavaClasses CORE_CLASSES = new ClassFileImporter().importPath(CORE);

        // Not importPackages: that looks through the class path and the JDK.
        static final JavaClasses CANARY_CLASSES =
                new ClassFileImporter()
                        .importUrl(
                                Objects.requireNonNull(
                                        ArchitectureTest.class.getResource("canary")));
    }

    private static JavaClasses core() {
        assertThat(Imported.CORE_CLASSES).as("core must be compiled: " + CORE).isNotEmpty();
        return Imported.CORE_CLASSES;
    }

    private static JavaClasses canary() {
        return Imported.CANARY_CLASSES;
    }
}
