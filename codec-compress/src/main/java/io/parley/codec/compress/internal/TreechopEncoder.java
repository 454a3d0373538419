package io.parley.codec.compress.internal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Writes the nodes of a document. It stops silently when there would be too many bytes or paths; see {@link #isComplete}. */
final class TreechopEncoder implements XmlHandler {

    /** A child of a path. Comparable, because a map compares keys with the same hash one by one otherwise, and a document may come from a remote peer. */
    private record Child(int parent, TreechopKind kind, String label) implements Comparable<Child> {

        @Override
        public int compareTo(Child other) {
            int order = Integer.compare(parent, other.parent);
            order = order != 0 ? order : kind.compareTo(other.kind);
            return order != 0 ? order : label.compareTo(other.label);
        }
    }

    /** A path, and its number in the order in which paths were added. */
    private record Numbered(int number, TreechopPath path) {}

    private final Map<Child, Numbered> paths = new HashMap<>();
    private final GrowingArray out;
    private final int maxPaths;
    private Numbered[] open = new Numbered[8];
    private int depth;
    private boolean complete = true;

    TreechopEncoder(int documentBytes) {
        maxPaths = Treechop.maxPaths(documentBytes);
        out = new GrowingArray(0, Treechop.maxNodeBytes(documentBytes), documentBytes);
        open[0] = new Numbered(0, TreechopPath.document());
    }

    /** Returns whether the decoder accepts the nodes. */
    boolean isComplete() {
        return complete;
    }

    byte[] nodes() {
        return out.toArray(0);
    }

    @Override
    public void prologue(byte[] in, int from, int to) {
        writeRaw(in, from, to);
    }

    @Override
    public void startElement(byte[] in, int from, int to, boolean empty) {
        Numbered path = writePath(empty ? TreechopKind.EMPTY_ELEMENT : TreechopKind.ELEMENT, in, from, to);
        depth++;
        if (depth == open.length) {
            open = Arrays.copyOf(open, 2 * depth);
        }
        open[depth] = path;
    }

    @Override
    public void attributeName(byte[] in, int from, int to, boolean apostrophe) {
        writePath(apostrophe ? TreechopKind.APOSTROPHE_ATTRIBUTE : TreechopKind.ATTRIBUTE, in, from, to);
    }

    @Override
    public void attributeValue(byte[] in, int from, int to) {
        text(in, from, to);
    }

    @Override
    public void restOfTag(byte[] in, int from, int to) {
        write(Treechop.REST_OF_TAG);
        writeRaw(in, from, to);
        if (in[to - 2] == '/') {
            depth--;
        }
    }

    @Override
    public void text(byte[] in, int from, int to) {
        write(Treechop.TEXT);
        writeRaw(in, from, to);
    }

    @Override
    public void section(XmlSection section, byte[] in, int from, int to) {
        writePath(TreechopKind.of(section), in, from, from);
        text(in, from, to);
    }

    @Override
    public void endElement() {
        write(Treechop.END);
        depth--;
    }

    @Override
    public void endElement(byte[] in, int from, int to) {
        write(Treechop.UNUSUAL_END);
        writeRaw(in, from, to);
        depth--;
    }

    @Override
    public void epilogue(byte[] in, int from, int to) {
        writeRaw(in, from, to);
    }

    private Numbered writePath(TreechopKind kind, byte[] in, int from, int to) {
        Numbered parent = open[depth];
        Child child = new Child(parent.number(), kind, new String(in, from, to - from, ISO_8859_1));
        Numbered known = paths.get(child);
        if (known != null) {
            writeCode(known.path());
            return known;
        }
        if (paths.size() == maxPaths || !parent.path().hasRoom()) {
            complete = false;
            return parent;
        }
        TreechopPath path = parent.path().add(kind, Arrays.copyOfRange(in, from, to));
        Numbered added = new Numbered(paths.size() + 1, path);
        paths.put(child, added);
        writeCode(path);
        write(kind.number);
        writeRaw(in, from, to);
        return added;
    }

    private void writeCode(TreechopPath path) {
        write(path.bits);
        write(path.code, 0, path.code.length);
    }

    private void writeRaw(byte[] in, int from, int to) {
        write(in, from, to);
        write(Treechop.TERMINATOR);
    }

    private void write(int b) {
        complete &= !out.isFull();
        if (complete) {
            out.write(b);
        }
    }

    private void write(byte[] in, int from, int to) {
        complete &= to - from <= out.room();
        if (complete) {
            out.write(in, from, to);
        }
    }
}
