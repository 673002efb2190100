package io.polder.lab.experiments.elasticity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.LineNumberInfo;
import java.lang.classfile.attribute.LineNumberTableAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Computed lengths, against those that class files of the JDK have. */
class AttributeBytesTest {
    private static final int CLASSES = 400;

    @Tag("full")
    @Test
    void lengths_ofClassesOfTheJdk_areThoseInTheFiles() throws Exception {
        long seed = System.nanoTime();
        JdkImage image = JdkImage.open();
        int stackMaps = 0;
        int annotations = 0;
        int defaults = 0;
        for (String name : image.draw(CLASSES, new SplittableRandom(seed))) {
            ClassModel model = image.named(name);
            Map<String, Integer> raw = RawClassFile.attributeBytes(image.bytes(name));
            int expectedStackMaps = raw.getOrDefault("StackMapTable", 0);
            int expectedAnnotations = raw.getOrDefault("RuntimeVisibleAnnotations", 0);
            int expectedDefaults = raw.getOrDefault("AnnotationDefault", 0);

            assertThat(stackMaps(model))
                    .as("seed=%d, class=%s", seed, name)
                    .isEqualTo(expectedStackMaps);
            assertThat(annotations(model))
                    .as("seed=%d, class=%s", seed, name)
                    .isEqualTo(expectedAnnotations);
            assertThat(defaults(model))
                    .as("seed=%d, class=%s", seed, name)
                    .isEqualTo(expectedDefaults);
            stackMaps += expectedStackMaps;
            annotations += expectedAnnotations;
            defaults += expectedDefaults;
        }
        assertThat(stackMaps).as("seed=%d", seed).isGreaterThan(CLASSES);
        assertThat(annotations + defaults).as("seed=%d", seed).isPositive();
    }

    @Test
    void lengths_ofAnnotationsWithValuesOfAllKinds_areThoseInTheFile() throws Exception {
        JdkImage image = JdkImage.open();
        for (String name :
                List.of(
                        "java/lang/Deprecated",
                        "java/lang/annotation/Target",
                        "java/lang/FunctionalInterface",
                        "java/lang/Thread",
                        "jdk/jfr/Label",
                        "javax/management/MXBean")) {
            Map<String, Integer> raw = RawClassFile.attributeBytes(image.bytes(name));

            assertThat(annotations(image.named(name)))
                    .as(name)
                    .isEqualTo(raw.getOrDefault("RuntimeVisibleAnnotations", 0));
            assertThat(defaults(image.named(name)))
                    .as(name)
                    .isEqualTo(raw.getOrDefault("AnnotationDefault", 0));
        }
    }

    @Test
    void lineNumbers_areStepsAndAnEnd() {
        LineNumberTableAttribute table =
                LineNumberTableAttribute.of(
                        List.of(
                                LineNumberInfo.of(0, 5),
                                LineNumberInfo.of(4, 6),
                                LineNumberInfo.of(20, 3)));

        // One byte each for the first two, three for the step back, one at the end.
        assertThat(AttributeBytes.lineNumbers(List.of(table))).isEqualTo(6);
        assertThat(AttributeBytes.lineNumbers(List.of())).isZero();
    }

    private static int stackMaps(ClassModel model) {
        return model.methods().stream()
                .flatMap(method -> method.findAttribute(Attributes.code()).stream())
                .flatMap(code -> code.findAttribute(Attributes.stackMapTable()).stream())
                .mapToInt(AttributeBytes::stackMap)
                .sum();
    }

    private static int annotations(ClassModel model) {
        return elements(model).stream()
                .flatMap(
                        element ->
                                element
                                        .findAttribute(Attributes.runtimeVisibleAnnotations())
                                        .stream())
                .mapToInt(attribute -> AttributeBytes.annotations(attribute.annotations()))
                .sum();
    }

    private static int defaults(ClassModel model) {
        return elements(model).stream()
                .flatMap(element -> element.findAttribute(Attributes.annotationDefault()).stream())
                .mapToInt(attribute -> AttributeBytes.value(attribute.defaultValue()))
                .sum();
    }

    private static List<AttributedElement> elements(ClassModel model) {
        List<AttributedElement> elements = new ArrayList<>(List.of(model));
        elements.addAll(model.fields());
        elements.addAll(model.methods());
        model.findAttribute(Attributes.record())
                .ifPresent(components -> elements.addAll(components.components()));
        return elements;
    }
}
