package io.polder.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Finds the handle of a field, for the class that declares it. */
public final class FieldHandle {
    private FieldHandle() {}

    /**
     * The handle of a field.
     *
     * @param lookup that of the class that declares the field
     * @param name its name
     * @param type its type
     */
    public static VarHandle of(MethodHandles.Lookup lookup, String name, Class<?> type) {
        try {
            return lookup.findVarHandle(lookup.lookupClass(), name, type);
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError("a class asks for its own fields: name=" + name, impossible);
        }
    }
}
