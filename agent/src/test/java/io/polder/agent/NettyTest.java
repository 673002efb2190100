package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.resolver.AddressResolver;
import io.netty.util.ReferenceCounted;
import io.polder.agent.Program.Result;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.loader.launch.JarLauncher;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** Option {@code netty}, with the Netty that is on this class path, in JVMs of their own. */
class NettyTest extends ProgramFixture {
    private static final String POLDER = "io.polder.netty.PolderByteBufAllocator";

    /** What {@link NettyPrograms#ECHO} prints if its buffers are Polder's. */
    private static final String[] ECHOED = {
        POLDER, "direct=true pooled=true", "echo 1", "echo 1000", "echo 3000000"
    };

    /** What a report says of a default allocator that nobody asked. */
    private static final String UNUSED = "  No direct buffer was allocated of it: ";

    private static final Path INTEGRATION =
            Path.of("../integrations/netty/target/classes").toAbsolutePath().normalize();

    /** The jars of Netty that this test has. */
    private static List<Path> netty() {
        return Stream.of(
                        ReferenceCounted.class, ByteBuf.class, AddressResolver.class, Channel.class)
                .map(NettyTest::jarOf)
                .toList();
    }

    private static Path jarOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static String path(Path... paths) {
        return Program.path(Stream.concat(Stream.of(paths), netty().stream()).toArray(Path[]::new));
    }

    private void compileEcho() throws Exception {
        Program.compile(classes, Path.of(path()), NettyPrograms.ECHO);
    }

    private Result echo(List<String> jvmArguments, String options, Path... more) throws Exception {
        String path = path(Stream.concat(Stream.of(classes), Stream.of(more)).toArray(Path[]::new));
        return program.run(jvmArguments, options, "-cp", path, "example.Echo").succeeds();
    }

    @Test
    void netty_program_hasPoldersBuffersAndNothingIsPrinted() throws Exception {
        compileEcho();
        Result result = echo(List.of("--sun-misc-unsafe-memory-access=deny"), "netty=on");
        assertThat(result.lines()).containsExactly(ECHOED);
        assertThat(result.errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void noOption_program_keepsNettysBuffers() throws Exception {
        compileEcho();
        Result result = echo(List.of(), "pool=confined");
        assertThat(result.lines().getFirst()).startsWith("io.netty.buffer.").doesNotContain("Unpo");
        assertThat(result.lines()).contains("echo 3000000");
    }

    @Tag("full")
    @Test
    void netty_nativeAccessDeniedToAll_isGivenToPolderAlone() throws Exception {
        compileEcho();
        Result result = echo(List.of("--illegal-native-access=deny"), "netty,pool=off,report");
        assertThat(result.lines()).containsExactly(ECHOED);
        assertThat(result.errors())
                .contains("\nNetty: the default allocator of 1 is Polder's\n")
                .containsOnlyOnce("Pool netty")
                .doesNotContain("keeps its own", UNUSED);
    }

    @Tag("full")
    @Test
    void netty_excluded_keepsItsOwnAndIncludedOthersChangeNothing() throws Exception {
        compileEcho();
        List<String> quiet = List.of("--sun-misc-unsafe-memory-access=allow");
        Result excluded = echo(quiet, "netty=on,exclude=com.acme.*:io.netty.**");
        assertThat(excluded.lines().getFirst()).startsWith("io.netty.buffer.");
        assertThat(excluded.errors()).isEmpty();
        Result included = echo(quiet, "netty=on,include=com.acme.*,exclude=io.netty.*");
        assertThat(included.lines()).containsExactly(ECHOED);
    }

    @Tag("full")
    @Test
    void netty_usersOwnSetting_winsAndThatIsSaidOnce() throws Exception {
        compileEcho();
        List<String> own =
                List.of(
                        "-Dio.netty.allocator.type=pooled",
                        "--sun-misc-unsafe-memory-access=allow");
        Result result = echo(own, "netty=on");
        assertThat(result.lines()).startsWith("io.netty.buffer.PooledByteBufAllocator");
        assertThat(result.errors().strip())
                .isEqualTo(
                        "polder-agent: Netty keeps its own allocator:"
                                + " io.netty.allocator.type=pooled is set");
    }

    @Test
    void netty_allocatorOfTheProgram_wins() throws Exception {
        compileEcho();
        Result result = echo(List.of("-Dexample.own=true"), "netty=on,report");
        assertThat(result.lines()).startsWith("io.netty.buffer.UnpooledByteBufAllocator");
        assertThat(result.errors())
                .contains("\nNetty: the default allocator of 1 is Polder's\n" + UNUSED);
    }

    @Tag("full")
    @Test
    void netty_programsIntegrationThatNobodyAsks_isSaid() throws Exception {
        compileEcho();
        List<String> flags = List.of("--enable-native-access=ALL-UNNAMED", "-Dexample.own=true");
        Result result = echo(flags, "netty=on,report", Program.LIBRARY, INTEGRATION);
        assertThat(result.lines()).startsWith("io.netty.buffer.UnpooledByteBufAllocator");
        assertThat(result.errors())
                .contains("\nNetty: the default allocator of 1 is Polder's\n" + UNUSED);
        Result used = echo(flags.subList(0, 1), "netty=on,report", Program.LIBRARY, INTEGRATION);
        assertThat(used.lines()).containsExactly(ECHOED);
        assertThat(used.errors())
                .contains("\nNetty: the default allocator of 1 is Polder's\n")
                .doesNotContain(UNUSED);
    }

    /** Vert.x is found by its name, in the loader of Netty, that of the thread, or its own. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Context", "Elsewhere"})
    void netty_programThatHasVertx_keepsItsOwnAndThatIsSaidOnce(String context) throws Exception {
        compileEcho();
        Path vertx = context.isEmpty() ? classes : temporary.resolve("vertx");
        Files.createDirectories(vertx);
        Program.compile(vertx, Path.of("."), "package io.vertx.core; public class Vertx {}");
        Program.compile(
                classes,
                classes,
                """
                package example;
                import java.net.*;
                import java.nio.file.Path;
                public class EchoContext {
                    public static void main(String[] arguments) throws Exception {
                        URL[] vertx = {Path.of(arguments[0]).toUri().toURL()};
                        Thread.currentThread().setContextClassLoader(
                                new URLClassLoader(vertx, EchoContext.class.getClassLoader()));
                        Echo.main(arguments);
                    }
                }
                """);
        Program.compile(
                classes,
                classes,
                """
                package example;
                import java.net.*;
                import java.nio.file.Path;
                public class EchoElsewhere {
                    public static void main(String[] arguments) throws Exception {
                        URL[] vertx = {Path.of(arguments[0]).toUri().toURL()};
                        ClassLoader loader =
                                new URLClassLoader(vertx, EchoElsewhere.class.getClassLoader());
                        Class.forName("io.vertx.core.Vertx", true, loader);
                        Echo.main(arguments);
                    }
                }
                """);
        Result result =
                program.run(
                                List.of("--sun-misc-unsafe-memory-access=allow"),
                                "netty=on",
                                "-cp",
                                path(classes),
                                "example.Echo" + context,
                                vertx.toString())
                        .succeeds();
        assertThat(result.lines().getFirst()).startsWith("io.netty.buffer.").doesNotContain("Unpo");
        assertThat(result.errors().strip())
                .isEqualTo(
                        "polder-agent: Netty keeps its own allocator: Vert.x would never release"
                                + " Polder's buffers");
    }

    @Tag("full")
    @Test
    void netty_libraryOnClassPathAndDenied_isSaidOnceAndNettyKeepsItsOwn() throws Exception {
        compileEcho();
        Result result =
                echo(List.of("--illegal-native-access=deny"), "netty=on,pool=off", Program.LIBRARY);
        assertThat(result.lines().getFirst()).startsWith("io.netty.buffer.");
        assertThat(result.lines()).contains("echo 3000000");
        assertThat(result.errors().lines().filter(line -> line.contains("Netty keeps")))
                .containsExactly(
                        "polder-agent: Netty keeps its own allocator: native access is denied:"
                                + " start with --enable-native-access=ALL-UNNAMED");
    }

    @Tag("full")
    @Test
    void netty_programThatHasTheIntegration_usesItsOwn() throws Exception {
        compileEcho();
        Result result =
                echo(
                        List.of("--enable-native-access=ALL-UNNAMED", "-Dexample.whose=true"),
                        "netty=on",
                        Program.LIBRARY,
                        INTEGRATION);
        assertThat(result.lines()).containsExactly(ECHOED);
        assertThat(result.errors()).contains("loaded by app");
    }

    @Tag("full")
    @Test
    void netty_programsAllocatorBeforeNettyChose_allHeapBuffersAreOfNettysChoice()
            throws Exception {
        Program.compile(
                classes,
                Path.of(path(INTEGRATION, Program.LIBRARY)),
                """
                package example;
                import io.netty.buffer.ByteBuf;
                import io.polder.netty.PolderByteBufAllocator;
                public class First {
                    public static void main(String[] arguments) {
                        for (int i = 0; i < 3; i++) {
                            ByteBuf buffer = PolderByteBufAllocator.DEFAULT.heapBuffer(10);
                            System.out.println(buffer.alloc().getClass().getSimpleName());
                            buffer.release();
                        }
                    }
                }
                """);
        Result result =
                program.run(
                                List.of("--enable-native-access=ALL-UNNAMED"),
                                "netty=on",
                                "-cp",
                                path(classes, INTEGRATION, Program.LIBRARY),
                                "example.First")
                        .succeeds();
        assertThat(result.lines()).hasSize(3);
        assertThat(Set.copyOf(result.lines()))
                .hasSize(1)
                .doesNotContain("UnpooledByteBufAllocator");
    }

    /** The rule: with {@code netty}, Polder's modules have native access, whoever brought them. */
    @Tag("full")
    @ParameterizedTest
    @CsvSource({"off,false", "off,true", "confined,false", "confined,true"})
    void netty_modulesOfTheProgramAndDenied_needNoFlag(String pool, boolean integration)
            throws Exception {
        compileEcho();
        String modules = path(Program.LIBRARY);
        if (integration) {
            modules = Program.path(Path.of(modules), integrationJar());
        }
        Result result =
                program.run(
                                List.of(
                                        "--illegal-native-access=deny",
                                        "--sun-misc-unsafe-memory-access=deny"),
                                "netty,pool=" + pool,
                                "-p",
                                modules,
                                "--add-modules",
                                "ALL-MODULE-PATH",
                                "-Dexample.whose=true",
                                "-cp",
                                classes.toString(),
                                "example.Echo")
                        .succeeds();
        assertThat(result.lines()).containsExactly(ECHOED);
        assertThat(result.errors().strip())
                .isEqualTo("loaded by " + (integration ? "app" : "polder-netty"));
    }

    /** What is published: an automatic module. */
    private Path integrationJar() throws Exception {
        Path manifest = temporary.resolve("manifest");
        Files.writeString(manifest, "Automatic-Module-Name: io.polder.netty\n");
        Path jar = temporary.resolve("polder-netty.jar");
        int exit =
                ToolProvider.findFirst("jar")
                        .orElseThrow()
                        .run(
                                System.out,
                                System.err,
                                "--create",
                                "--file=" + jar,
                                "--manifest=" + manifest,
                                "-C",
                                INTEGRATION.toString(),
                                ".");
        assertThat(exit).isZero();
        return jar;
    }

    @Tag("full")
    @Test
    void netty_inNestedJarsOfSpringBoot_hasPoldersBuffers() throws Exception {
        compileEcho();
        Path boot = temporary.resolve("boot.jar");
        BootJar.write(boot, jarOf(JarLauncher.class), "example.Echo", classes, netty());
        Result result =
                program.run(
                                List.of(
                                        "--illegal-native-access=deny",
                                        "--sun-misc-unsafe-memory-access=deny"),
                                "netty=on",
                                "-jar",
                                boot.toString())
                        .succeeds();
        assertThat(result.lines()).containsExactly(ECHOED);
        assertThat(result.errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void netty_inLoadersThatComeAndGo_isServedAndNothingKeepsThem() throws Exception {
        Program.compile(classes, Path.of("."), NettyPrograms.LOADERS);
        Path hidden = Files.createDirectory(temporary.resolve("hidden"));
        Program.compile(hidden, Path.of(path()), NettyPrograms.BUFFERS);
        Result result =
                program.run(
                                // Netty's events of Flight Recorder keep its loader.
                                List.of(
                                        "--illegal-native-access=deny",
                                        "-Dio.netty.jfr.enabled=false"),
                                "netty=on,report",
                                "-cp",
                                classes.toString(),
                                "example.Loaders",
                                path(hidden))
                        .succeeds();
        assertThat(result.lines())
                .containsExactly(
                        POLDER, POLDER, POLDER, "3 loaders, 3 gone", "1 pool of Netty's buffers");
        assertThat(result.errors())
                .contains("Netty: the default allocator of 3 is Polder's")
                .doesNotContain("keeps its own");
    }
}
