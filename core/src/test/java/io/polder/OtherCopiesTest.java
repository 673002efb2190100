package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.MalformedURLException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** Two versions of the library on one class path, in a JVM of its own. */
class OtherCopiesTest {
    private static final String WARNING = "a class path must have one copy of Polder";

    @TempDir private Path folder;

    /** The library as a jar that says it is of a version. */
    private Path jar(String version) throws IOException {
        Path jar = folder.resolve("polder-core-" + version + ".jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        Path classes = ChildJvm.coreClasses();
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                Stream<Path> files = Files.walk(classes)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                String name = classes.relativize(each).toString().replace(File.separatorChar, '/');
                if (!name.startsWith("META-INF/")) {
                    out.putNextEntry(new JarEntry(name));
                    Files.copy(each, out);
                    out.closeEntry();
                }
            }
        }
        return jar;
    }

    private static ChildJvm.Result run(List<String> options, Path... classPath) {
        String path =
                String.join(
                        File.pathSeparator,
                        Stream.concat(Stream.of(classPath), Stream.of(ChildJvm.testClasses()))
                                .map(Path::toString)
                                .toList());
        List<String> arguments =
                Stream.concat(
                                options.stream(),
                                Stream.of(
                                        "--enable-native-access=ALL-UNNAMED",
                                        "-cp",
                                        path,
                                        CopiesProbe.class.getName()))
                        .toList();
        ChildJvm.Result result = ChildJvm.java(arguments);
        assertThat(result.exitCode()).describedAs("%s", result).isZero();
        return result;
    }

    private static String url(Path path) throws MalformedURLException {
        return path.toUri().toURL().toString();
    }

    private static List<String> warnings(ChildJvm.Result result) {
        return result.err().lines().filter(line -> line.contains(WARNING)).toList();
    }

    @Test
    void classPath_twoVersions_warnsOnceAndNamesBoth() throws IOException {
        Path newer = jar("2.0");
        Path older = jar("1.0");
        ChildJvm.Result result = run(List.of(), newer, older);
        assertThat(warnings(result)).describedAs(result.err()).hasSize(1);
        assertThat(warnings(result).getFirst())
                .endsWith("first=" + url(newer) + ", others=[" + url(older) + "]");
        assertThat(result.out()).isEqualTo("used: " + url(newer) + "\n");
    }

    /** It does not hang on the MXBeans, which are told of pools in the same step. */
    @Tag("full")
    @Test
    void classPath_twoVersionsWithoutMxBeans_warns() throws IOException {
        Path jar = jar("1.0");
        Path classes = ChildJvm.coreClasses();
        ChildJvm.Result result = run(List.of("-Dpolder.mxbean=false"), jar, classes);
        assertThat(warnings(result)).describedAs(result.err()).hasSize(1);
        assertThat(warnings(result).getFirst())
                .endsWith("first=" + url(jar) + ", others=[" + url(classes) + "]");
    }

    @Test
    void modulePath_twoVersions_javaTakesTheFirstOrRefuses() throws IOException {
        Path newer = jar("2.0");
        Path older = jar("1.0");
        ChildJvm.Result first =
                ChildJvm.java(
                        List.of(
                                "--module-path",
                                newer + File.pathSeparator + older,
                                "--describe-module",
                                "io.polder"));
        assertThat(first.exitCode()).describedAs("%s", first).isZero();
        assertThat(first.out()).contains(newer.toUri().toString());
        ChildJvm.Result oneFolder =
                ChildJvm.java(
                        List.of(
                                "--module-path",
                                folder.toString(),
                                "--describe-module",
                                "io.polder"));
        assertThat(oneFolder.exitCode()).isNotZero();
        assertThat(oneFolder.out() + oneFolder.err()).contains("Two versions of module io.polder");
    }

    @Tag("full")
    @Test
    void classPath_oneVersion_saysNothing() throws IOException {
        Path jar = jar("1.0");
        assertThat(run(List.of(), jar, jar).err()).isEmpty();
    }
}
