package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class RepositoryTest {

    @Test
    void tree_repository_holdsSourcesAndNoBuildOutput() {
        assertThat(Repository.tree().paths())
                .contains("pom.xml", "polder", "core/src/main/java/module-info.java")
                .noneMatch(path -> path.contains("target/"));
        assertThat(Repository.tree().java().count()).isGreaterThan(10);
    }

    @Test
    void files_withoutGit_areFoundOnDisk(@TempDir Path root) throws IOException {
        Files.createDirectories(root.resolve("core/target"));
        Files.writeString(root.resolve("core/A.java"), "class A {}");
        Files.writeString(root.resolve("core/target/B.java"), "class B {}");
        assertThat(Repository.files(root)).containsExactly("core/A.java");
    }

    @Test
    void changed_withoutGit_isEverything(@TempDir Path root) throws IOException {
        Files.writeString(root.resolve("A.java"), "class A {}");
        assertThat(Repository.changed(root)).containsExactly("A.java");
    }

    @Test
    void changed_withGit_isWhatIsEditedAddedAndLastCommitted(@TempDir Path root) throws Exception {
        git(root, "init", "-q");
        for (String name : List.of("Old.java", "Edited.java", "Last.java")) {
            Files.writeString(root.resolve(name), "class A {}");
            git(root, "add", name);
            git(
                    root,
                    "-c",
                    "user.name=a",
                    "-c",
                    "user.email=a@example.org",
                    "commit",
                    "-q",
                    "--no-gpg-sign",
                    "-m",
                    name);
        }
        Files.writeString(root.resolve("Edited.java"), "class B {}");
        Files.writeString(root.resolve("Added.java"), "class C {}");
        assertThat(Repository.changed(root))
                .containsExactly("Added.java", "Edited.java", "Last.java");
    }

    private static void git(Path root, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
        command.addAll(List.of(arguments));
        Process git = new ProcessBuilder(command).inheritIO().start();
        assertThat(git.waitFor()).isZero();
    }

    @Test
    void contains_fileOrDirectory_only() {
        Tree tree = Tree.of("docs/adr/A.md", "");
        assertThat(tree.contains("docs/adr")).isTrue();
        assertThat(tree.contains("docs/adr/A.md")).isTrue();
        assertThat(tree.contains("docs/ad")).isFalse();
    }
}
