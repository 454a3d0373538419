package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.transfer.TransferOffer.OfferedFile;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Receives files. A partial file of an earlier attempt is continued after the last part with matching digests. A received
 * file survives the end of this process, but is not forced to the disk: after a power failure, another run compares it
 * again.
 */
public final class FileReceiver {

    /** Receives the progress of a transfer, on the thread of the transfer. */
    public interface Listener {

        /** The transfer starts. */
        void started(String title, long files, long bytes);

        /** Bytes have been received. */
        void received(long bytes);

        /** Bytes are present already and need no transfer. */
        void skipped(long bytes);
    }

    /**
     * An offer of a sender.
     *
     * @param directory where the files would be written
     * @param title     a name for all of it
     * @param bytes     the size of all files
     * @param paths     the first paths below the directory
     * @param unusual   the paths that are hidden, have invisible characters, or differ from others only in case
     */
    public record Offer(
            Path directory, String title, long files, long bytes, List<String> paths, List<String> unusual) {}

    private static final int SHOWN_PATHS = 10;

    /** A transfer leaves this part of the free space: one tenth. */
    private static final int RESERVED_PART = 10;

    private final Path directory;
    private final boolean force;
    private final Predicate<Offer> consent;
    private final Listener listener;

    /**
     * Creates a receiver into a directory, which is created if it is missing.
     *
     * @param force   whether existing files with other content are replaced
     * @param consent decides about an offer, before anything is written or requested
     */
    public FileReceiver(Path directory, boolean force, Predicate<Offer> consent, Listener listener) {
        this.directory = directory;
        this.force = force;
        this.consent = consent;
        this.listener = listener;
    }

    /**
     * Receives all files.
     *
     * @throws ParleyException if the sender disconnects or fails; the received parts remain
     * @throws CommandFailedException if this peer cannot continue; the reason is sent to the sender
     * @throws IOException if a file operation fails; the reason is sent to the sender
     */
    public TransferSummary receive(Conversation conversation) throws IOException, InterruptedException {
        try {
            ElementReader reader = new ElementReader(conversation);
            TransferOffer offer = TransferOffer.read(reader);
            if (!consent.test(preview(offer))) {
                throw new CommandFailedException("Refused the offer. Nothing was written.");
            }
            try (ReceiveDirectory destination = ReceiveDirectory.open(directory)) {
                return new Transfer(conversation, reader, offer, destination).run();
            }
        } catch (ParleyException e) {
            conversation.fail(e);
            throw e;
        } catch (IOException | CommandFailedException e) {
            // The reason may contain paths of this computer, which the sender must not learn.
            conversation.fail(ErrorCode.SERVICE_FAILED.exception("the receiver has stopped, and its screen shows why"));
            throw e;
        }
    }

    private Offer preview(TransferOffer offer) {
        return new Offer(
                directory.toAbsolutePath().normalize(),
                title(offer),
                offer.files().size(),
                offer.bytes(),
                offer.paths().limit(SHOWN_PATHS).map(TransferPath::text).toList(),
                offer.unusualPaths().stream().map(TransferPath::text).toList());
    }

    private static String title(TransferOffer offer) {
        if (offer.directories().isEmpty() && offer.files().size() == 1) {
            return offer.files().get(0).path().text();
        }
        return offer.directories().isEmpty()
                ? TextFormatter.count(offer.files().size(), "file")
                : offer.directories().get(0) + "/";
    }

    /** Copies the beginning of a file, which other programs may change meanwhile. */
    static void copyBeginning(Path source, Path copy, long length) throws IOException {
        try (FileChannel from = FileChannel.open(source);
                FileChannel to = FileChannel.open(
                        copy,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            for (long copied = 0; copied < length; ) {
                long count = from.transferTo(copied, length - copied, to);
                if (count == 0) {
                    throw hasBecomeShorter(source);
                }
                copied += count;
            }
        }
    }

    private static CommandFailedException hasBecomeShorter(Path file) {
        return new CommandFailedException(file + " has become shorter during the transfer.");
    }

    /**
     * A file that may be present already.
     *
     * @param complete whether it has the real name and the size of the offered file; otherwise it is a part
     * @param prefix   its content, or the beginning; {@code null} if it is empty
     */
    private record LocalFile(
            int index, boolean complete, @Nullable FilePrefix prefix) {}

    private final class Transfer {
        private final Conversation conversation;
        private final ReceiveDirectory destination;
        private final ElementReader reader;
        private final ElementWriter writer;
        private final TransferOffer offer;
        private final byte[][] sums;

        /** The offsets of files of which the beginning is present, by index. */
        private final Map<Integer, Long> offsets = new HashMap<>();

        /** The files of which that beginning is in the file that will be replaced, and not in a part, by index. */
        private final BitSet inTarget = new BitSet();

        private @Nullable IncomingFile incoming;
        private int incomingIndex;
        private int digestBytes;

        Transfer(Conversation conversation, ElementReader reader, TransferOffer offer, ReceiveDirectory destination) {
            this.conversation = conversation;
            this.destination = destination;
            this.reader = reader;
            this.writer = new ElementWriter(conversation);
            this.offer = offer;
            this.sums = new byte[offer.files().size()][];
        }

        TransferSummary run() throws IOException, InterruptedException {
            String title = title(offer);
            listener.started(title, offer.files().size(), offer.bytes());
            request();
            String digest;
            try {
                digest = receiveAll();
            } finally {
                if (incoming != null) {
                    incoming.close();
                }
            }
            for (TransferPath path : offer.directories()) {
                destination.makeDirectory(path);
            }
            check(digest);
            writer.write(TransferProtocol.RECEIVED, digest);
            writer.flush();
            conversation.awaitDelivery();
            return new TransferSummary(title, offer.files().size(), offer.bytes(), 0, digest);
        }

        /** Asks for the digests of the files that may be present, and requests what is missing. */
        private void request() throws IOException, InterruptedException {
            List<LocalFile> present = new ArrayList<>();
            for (int index = 0; index < sums.length; index++) {
                LocalFile local = find(index);
                if (local != null) {
                    present.add(local);
                    ask(local);
                }
            }
            writer.write(TransferProtocol.ASKED, "");
            if (!present.isEmpty()) {
                writer.flush();
            }
            long missing = offer.bytes();
            for (LocalFile local : present) {
                missing -= local.prefix == null
                        ? skip(local.index, Sha256Digests.start().digest())
                        : compare(local);
            }
            checkSpace(missing);
            // Only now, because the sender reads nothing before it has sent all digests.
            present.forEach(this::request);
            writer.write(TransferProtocol.GO, "");
            writer.flush();
        }

        /** Returns the present content of a file; null if there is none. Fails if it must not be replaced. */
        private @Nullable LocalFile find(int index) throws IOException {
            OfferedFile file = offer.files().get(index);
            destination.checkParents(file.path());
            Path target = destination.target(file.path());
            long size = destination.sizeOf(target);
            // A part is nearer to the offered file than a file that will be replaced.
            Path part = destination.part(file.path());
            long partSize = size >= 0 && !force ? 0 : Math.min(file.size(), destination.sizeOf(part));
            if (size == file.size() && partSize <= 0) {
                if (size == 0) {
                    return new LocalFile(index, true, null);
                }
                return read(index, true, target, size, force ? FilePrefix.stepOf(size) : size);
            }
            if (size >= 0 && !force) {
                throw exists(file);
            }
            return partSize > 0 ? read(index, false, part, partSize, FilePrefix.stepOf(partSize)) : null;
        }

        private @Nullable LocalFile read(int index, boolean complete, Path path, long length, long step)
                throws IOException {
            int bytes = FilePrefix.digestBytes(length, step);
            if (bytes > TransferProtocol.MAX_DIGEST_BYTES - digestBytes) {
                return null; // all of it is sent
            }
            digestBytes += bytes;
            return new LocalFile(index, complete, FilePrefix.of(path, length, step));
        }

        private void ask(LocalFile local) {
            FilePrefix prefix = local.prefix;
            if (prefix != null) {
                writer.write(TransferProtocol.DIGESTS, local.index + " " + prefix.length() + " " + prefix.step());
            }
        }

        private void request(LocalFile local) {
            long offset = offsets.getOrDefault(local.index, 0L);
            if (sums[local.index] != null) {
                writer.write(TransferProtocol.HAVE, Integer.toString(local.index));
            } else if (offset > 0) {
                writer.write(TransferProtocol.FROM, local.index + " " + offset);
            }
        }

        /** Compares a file with the next response. Returns the number of bytes that are present. */
        private long compare(LocalFile local) throws InterruptedException {
            MessageElement marks = reader.next();
            if (!marks.name().equals(TransferProtocol.MARKS)) {
                throw TransferProtocol.violation(
                        "unexpected element " + marks.name() + " (expected: " + TransferProtocol.MARKS + ")");
            }
            OfferedFile file = offer.files().get(local.index);
            FilePrefix prefix = Objects.requireNonNull(local.prefix);
            long common = prefix.commonLength(marks.toByteArray());
            if (local.complete && common == file.size()) {
                return skip(local.index, prefix.digest());
            }
            if (local.complete && !force) {
                throw exists(file);
            }
            if (common > 0) {
                offsets.put(local.index, common);
                inTarget.set(local.index, local.complete);
            }
            return common;
        }

        /** Records that a file is present. Returns its size. */
        private long skip(int index, byte[] sum) {
            sums[index] = sum;
            long size = offer.files().get(index).size();
            listener.skipped(size);
            return size;
        }

        private CommandFailedException exists(OfferedFile file) {
            return new CommandFailedException(destination.target(file.path())
                    + " exists with other content. Use --force to replace it, or use another --out.");
        }

        private void checkSpace(long missing) throws IOException {
            long usable = Files.getFileStore(destination.root()).getUsableSpace();
            if (missing > usable - usable / RESERVED_PART) {
                throw new CommandFailedException(destination.root() + " has " + TextFormatter.bytes(usable)
                        + " of free space, of which a tenth must stay free, but the files need "
                        + TextFormatter.bytes(missing) + " more. Use another --out.");
            }
        }

        private String receiveAll() throws IOException, InterruptedException {
            while (true) {
                MessageElement element = reader.next();
                switch (element.name()) {
                    case TransferProtocol.BEGIN -> begin(element.text());
                    case TransferProtocol.DATA -> {
                        requireIncoming().write(element);
                        listener.received(element.size());
                    }
                    case TransferProtocol.SUM -> finish(element.toByteArray());
                    case TransferProtocol.DONE -> {
                        return element.text();
                    }
                    default ->
                        throw TransferProtocol.violation("unexpected element " + element.name() + " among the files");
                }
            }
        }

        private void begin(String text) throws IOException {
            String[] fields = TransferProtocol.fields(text, 2);
            int index = (int) TransferProtocol.number(fields[0], sums.length - 1L);
            if (incoming != null || sums[index] != null) {
                throw TransferProtocol.violation("file " + index + ": unexpected begin");
            }
            OfferedFile file = offer.files().get(index);
            long from = TransferProtocol.number(fields[1], file.size());
            if (from != offsets.getOrDefault(index, 0L)) {
                throw TransferProtocol.violation(
                        "offset of file " + index + ": " + from + " (expected: the requested one)");
            }
            Path part = destination.part(file.path());
            if (inTarget.get(index)) {
                copyBeginning(destination.target(file.path()), part, from);
            }
            incoming = new IncomingFile(file, part, from);
            incomingIndex = index;
            listener.skipped(from);
        }

        /** Copies a matching beginning from the file that will be replaced. */
        private void copyBeginning(Path target, Path part, long length) throws IOException {
            if (length > destination.sizeOf(target)) {
                throw hasBecomeShorter(target);
            }
            FileReceiver.copyBeginning(target, part, length);
        }

        private IncomingFile requireIncoming() {
            if (incoming == null) {
                throw TransferProtocol.violation("data without begin");
            }
            return incoming;
        }

        private void finish(byte[] expected) throws IOException {
            try (IncomingFile finished = requireIncoming()) {
                incoming = null;
                sums[incomingIndex] = finished.finish(expected);
            }
            destination.install(offer.files().get(incomingIndex).path(), force);
        }

        private void check(String digest) {
            Sha256Digests.OfList list = new Sha256Digests.OfList();
            for (int index = 0; index < sums.length; index++) {
                if (sums[index] == null) {
                    throw TransferProtocol.violation(offer.files().get(index).path() + " is missing");
                }
                list.add(sums[index], offer.files().get(index).path());
            }
            if (!list.hex().equals(digest)) {
                throw TransferProtocol.violation("digest of all files differs");
            }
        }
    }
}
