package io.polder.agent.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

class ConstantPoolScanTest {
    @Test
    void namesArenas_classesOfTheJdk_likeParser() throws IOException {
        int matching = 0;
        int seen = 0;
        for (byte[] bytes : jdkClasses()) {
            Set<String> names = new HashSet<>();
            for (PoolEntry entry : ClassFile.of().parse(bytes).constantPool()) {
                if (entry instanceof Utf8Entry utf8) {
                    names.add(utf8.stringValue());
                }
            }
            boolean expected =
                    names.contains("java/lang/foreign/Arena")
                            && (names.contains("ofConfined") || names.contains("ofShared"));
            assertThat(ConstantPoolScan.namesArenas(bytes)).isEqualTo(expected);
            matching += expected ? 1 : 0;
            seen++;
        }
        assertThat(matching).isPositive();
        assertThat(seen - matching).isGreaterThan(300);
    }

    @Test
    void namesArenas_damaged_neverThrows() throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<byte[]> classes = jdkClasses();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = classes.get(random.nextInt(classes.size()));
            byte[] damaged = Arrays.copyOf(bytes, random.nextInt(Math.min(2000, bytes.length)));
            for (int j = 0; damaged.length > 0 && j < 3; j++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                ConstantPoolScan.namesArenas(damaged);
            } catch (RuntimeException e) {
                throw new AssertionError("seed=" + seed + ", i=" + i, e);
            }
        }
    }

    private static List<byte[]> jdkClasses() throws IOException {
        Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", "java.base");
        List<byte[]> classes = new ArrayList<>();
        for (String folder :
                List.of("jdk/internal/foreign", "jdk/internal/foreign/abi", "java/util")) {
            try (Stream<Path> files = Files.list(base.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".class"))
                        .map(ConstantPoolScanTest::read)
                        .forEach(classes::add);
            }
        }
        return classes;
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
