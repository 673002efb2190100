package io.polder.lab.experiments.elasticity;

import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.constant.ConstantDescs;
import java.lang.reflect.AccessFlag;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * What a class inherits, as far as the size of its tables depends on it.
 *
 * <p>A vtable has an entry for each method that a subclass could replace, those of superclasses
 * first; a method that replaces another takes over its entry. An itable has an entry for each
 * interface, inherited ones too, and for each method of it.
 *
 * <p>Not thread-safe: remembers the classes that it has seen.
 */
final class ClassHierarchy {
    /** Words of an interface's entry in an itable, and of the entry that ends it. */
    private static final int ITABLE_ENTRY = 2;

    private final Function<String, ClassModel> classes;
    private final Map<String, Inherited> seen = new HashMap<>();

    /**
     * What a class hands down.
     *
     * @param virtual names and descriptors of the methods in its vtable
     * @param interfaces names of all interfaces it has, itself if it is one
     * @param interfaceMethods methods that classes must have to implement it; 0 for a class
     * @param oopMaps spans of its objects that hold references
     */
    record Inherited(
            Set<String> virtual, Set<String> interfaces, int interfaceMethods, int oopMaps) {
        private static final Inherited NOTHING = new Inherited(Set.of(), Set.of(), 0, 0);
    }

    /**
     * Creates a hierarchy without any class.
     *
     * @param classes finds a class by its internal name, as in {@code java/lang/String}
     */
    ClassHierarchy(Function<String, ClassModel> classes) {
        this.classes = classes;
    }

    /** Entries of the vtable. */
    int vtable(ClassModel model) {
        return inherited(model).virtual.size();
    }

    /** Words of the itable; that of an interface only has its end. */
    int itable(ClassModel model) {
        int words = ITABLE_ENTRY;
        if (!isInterface(model)) {
            for (String name : inherited(model).interfaces) {
                int methods = inherited(classes.apply(name)).interfaceMethods;
                words += methods == 0 ? 0 : ITABLE_ENTRY + methods;
            }
        }
        return words;
    }

    /** Spans of an object that hold references, inherited ones too. */
    int oopMaps(ClassModel model) {
        return inherited(model).oopMaps;
    }

    /** Interfaces that a class implements or an interface extends, directly or not. */
    int transitiveInterfaces(ClassModel model) {
        return inherited(model).interfaces.size() - (isInterface(model) ? 1 : 0);
    }

    private Inherited inherited(ClassModel model) {
        String name = model.thisClass().asInternalName();
        Inherited known = seen.get(name);
        if (known == null) {
            known = inherit(model);
            seen.put(name, known);
        }
        return known;
    }

    private Inherited inherit(ClassModel model) {
        Inherited above =
                model.superclass().map(entry -> inherited(named(entry))).orElse(Inherited.NOTHING);
        Set<String> virtual = new HashSet<>(above.virtual);
        Set<String> interfaces = new LinkedHashSet<>(above.interfaces);
        for (ClassEntry entry : model.interfaces()) {
            interfaces.addAll(inherited(named(entry)).interfaces);
        }
        List<MethodModel> instanceMethods =
                model.methods().stream().filter(ClassHierarchy::isInherited).toList();
        if (isInterface(model)) {
            interfaces.add(model.thisClass().asInternalName());
        } else {
            for (MethodModel method : instanceMethods) {
                // A final method that replaces nothing is called directly.
                if (!method.flags().has(AccessFlag.FINAL) && !model.flags().has(AccessFlag.FINAL)) {
                    virtual.add(
                            method.methodName().stringValue() + method.methodType().stringValue());
                }
            }
        }
        boolean holdsReferences = model.fields().stream().anyMatch(ClassHierarchy::isReference);
        return new Inherited(
                virtual,
                interfaces,
                isInterface(model) ? instanceMethods.size() : 0,
                above.oopMaps + (holdsReferences ? 1 : 0));
    }

    private ClassModel named(ClassEntry entry) {
        return classes.apply(entry.asInternalName());
    }

    private static boolean isInterface(ClassModel model) {
        return model.flags().has(AccessFlag.INTERFACE);
    }

    private static boolean isInherited(MethodModel method) {
        return !method.flags().has(AccessFlag.STATIC)
                && !method.flags().has(AccessFlag.PRIVATE)
                && !method.methodName().equalsString(ConstantDescs.INIT_NAME);
    }

    private static boolean isReference(FieldModel field) {
        return !field.flags().has(AccessFlag.STATIC) && !field.fieldTypeSymbol().isPrimitive();
    }
}
