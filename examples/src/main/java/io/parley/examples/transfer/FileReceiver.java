package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.transfer.TransferOffer.OfferedFile;
import io.parley.message.MessageElement;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
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

    private final Path directory;
    private final boolean force;
    private final Listener listener;

    /**
     * Creates a receiver into a directory, which is created if it is missing.
     *
     * @param force whether existing files with other content are replaced
     */
    public FileReceiver(Path directory, boolean force, Listener listener) {
        this.directory = directory;
        this.force = force;
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
        try (ReceiveDirectory destination = ReceiveDirectory.open(directory)) {
            return new Transfer(conversation, destination).run();
        } catch (ParleyException e) {
            ParleyException reason = conversation.endReason().orElse(e);
            conversation.fail(e);
            throw reason;
        } catch (IOException | CommandFailedException e) {
            conversation.fail(
                    ErrorCode.DISCONNECTED.exception("the receiver cannot continue: " + FailureFormatter.sentence(e)));
            throw e;
        }
    }

    private final class Transfer {
        private final Conversation conversation;
        private final ReceiveDirectory destination;
        private final ElementReader reader;
        private final ElementWriter writer;
        private @Nullable IncomingFile incoming;
        private int incomingIndex;
        /** The digests of the files that are present already, by index. */
        private final Map<Integer, String> present = new HashMap<>();

        private int digestBytes;

        Transfer(Conversation conversation, ReceiveDirectory destination) {
            this.conversation = conversation;
            this.destination = destination;
            this.reader = new ElementReader(conversation);
            this.writer = new ElementWriter(conversation);
        }

        TransferSummary run() throws IOException, InterruptedException {
            TransferOffer offer = TransferOffer.read(reader);
            String title = title(offer);
            listener.started(title, offer.files().size(), offer.bytes());
            request(offer);
            byte[][] sums = new byte[offer.files().size()][];
            String digest;
            try {
                digest = receiveAll(offer, sums);
            } finally {
                if (incoming != null) {
                    incoming.close();
                }
            }
            for (TransferPath path : offer.directories()) {
                destination.makeDirectory(path);
            }
            check(offer, sums, digest);
            writer.write(TransferProtocol.RECEIVED, digest);
            writer.flush();
            conversation.awaitDelivery();
            return new TransferSummary(title, offer.files().size(), offer.bytes(), 0, digest);
        }

        private static String title(TransferOffer offer) {
            if (offer.directories().isEmpty() && offer.files().size() == 1) {
                return offer.files().get(0).path().text();
            }
            return offer.directories().isEmpty()
                    ? TextFormatter.count(offer.files().size(), "file")
                    : offer.directories().get(0) + "/";
        }

        private void request(TransferOffer offer) throws IOException {
            long missing = 0;
            int first = 0;
            for (int index = 0; index < offer.files().size(); index++) {
                OfferedFile file = offer.files().get(index);
                long present = requestUnlessMissing(index, file, first);
                if (present >= 0) {
                    first = index + 1;
                }
                missing += file.size() - Math.max(0, present);
            }
            requestWhole(first, offer.files().size());
            writer.write(TransferProtocol.GO, "");
            checkSpace(missing);
            writer.flush();
        }

        private void requestWhole(int first, int end) {
            if (first < end) {
                writer.write(TransferProtocol.GET, first + " " + (end - 1));
            }
        }

        /** Requests a file of which a part is present, and returns the size of that part; -1 if there is none. */
        private long requestUnlessMissing(int index, OfferedFile file, int first) throws IOException {
            destination.checkParents(file.path());
            Path target = destination.target(file.path());
            long size = destination.sizeOf(target);
            if (size == file.size()) {
                requestWhole(first, index);
                if (!force || size == 0) {
                    String digest = Sha256Digests.hexOf(target);
                    present.put(index, digest);
                    writer.write(TransferProtocol.CHECK, index + " " + digest);
                    return size;
                }
                return requestRest(index, target, size) ? size : requestWhole(index);
            }
            if (size >= 0 && !force) {
                throw exists(file);
            }
            Path part = destination.part(file.path());
            long partSize = Math.min(file.size(), destination.sizeOf(part));
            if (partSize > 0) {
                requestWhole(first, index);
                return requestRest(index, part, partSize) ? partSize : requestWhole(index);
            }
            return -1;
        }

        private long requestWhole(int index) {
            requestWhole(index, index + 1);
            return 0;
        }

        private boolean requestRest(int index, Path path, long length) throws IOException {
            FilePrefix prefix = FilePrefix.of(path, length);
            if (prefix.digests().length > TransferProtocol.MAX_PREFIX_DIGEST_BYTES - digestBytes) {
                return false;
            }
            digestBytes += prefix.digests().length;
            writer.write(TransferProtocol.HAVE, index + " " + length + " " + prefix.step());
            writer.write(TransferProtocol.DIGESTS, prefix.digests());
            return true;
        }

        private CommandFailedException exists(OfferedFile file) {
            return new CommandFailedException(destination.target(file.path())
                    + " exists with other content. Use --force to replace it, or use another --out.");
        }

        private void checkSpace(long missing) throws IOException {
            long usable = Files.getFileStore(destination.root()).getUsableSpace();
            if (missing > usable) {
                throw new CommandFailedException(destination.root() + " has " + TextFormatter.bytes(usable)
                        + " of free space, but the files need " + TextFormatter.bytes(missing)
                        + " more. Use another --out.");
            }
        }

        private String receiveAll(TransferOffer offer, byte[][] sums) throws IOException, InterruptedException {
            while (true) {
                MessageElement element = reader.next();
                switch (element.name()) {
                    case TransferProtocol.SAME -> same(offer, sums, element.text());
                    case TransferProtocol.DIFFERS ->
                        throw exists(
                                offer.files().get((int) TransferProtocol.number(element.text(), sums.length - 1L)));
                    case TransferProtocol.BEGIN -> begin(offer, sums, element.text());
                    case TransferProtocol.DATA -> {
                        requireIncoming().write(element);
                        listener.received(element.size());
                    }
                    case TransferProtocol.SUM -> finish(offer, sums, element.toByteArray());
                    case TransferProtocol.DONE -> {
                        return element.text();
                    }
                    default ->
                        throw TransferProtocol.violation("unexpected element " + element.name() + " among the files");
                }
            }
        }

        private void same(TransferOffer offer, byte[][] sums, String text) {
            String[] fields = TransferProtocol.fields(text, 2);
            int index = (int) TransferProtocol.number(fields[0], sums.length - 1L);
            String digest = present.remove(index);
            if (digest == null || !digest.equals(fields[1])) {
                throw TransferProtocol.violation("file " + index + ": digest differs from the requested one");
            }
            sums[index] = HexFormat.of().parseHex(digest);
            listener.skipped(offer.files().get(index).size());
        }

        private void begin(TransferOffer offer, byte[][] sums, String text) throws IOException {
            String[] fields = TransferProtocol.fields(text, 2);
            int index = (int) TransferProtocol.number(fields[0], sums.length - 1L);
            if (incoming != null || sums[index] != null) {
                throw TransferProtocol.violation("file " + index + ": unexpected begin");
            }
            OfferedFile file = offer.files().get(index);
            long from = TransferProtocol.number(fields[1], file.size());
            Path part = destination.part(file.path());
            if (from > Math.max(0, destination.sizeOf(part))) {
                copyBeginning(destination.target(file.path()), part, from);
            }
            incoming = new IncomingFile(file, part, from);
            incomingIndex = index;
            listener.skipped(from);
        }

        /** Copies a matching beginning from the file that will be replaced. */
        private void copyBeginning(Path target, Path part, long length) throws IOException {
            if (!force || length > destination.sizeOf(target)) {
                throw TransferProtocol.violation("the sender omits bytes that the receiver does not have");
            }
            try (FileChannel from = FileChannel.open(target);
                    FileChannel to = FileChannel.open(
                            part,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                for (long copied = 0; copied < length; ) {
                    copied += from.transferTo(copied, length - copied, to);
                }
            }
        }

        private IncomingFile requireIncoming() {
            if (incoming == null) {
                throw TransferProtocol.violation("data without begin");
            }
            return incoming;
        }

        private void finish(TransferOffer offer, byte[][] sums, byte[] expected) throws IOException {
            try (IncomingFile finished = requireIncoming()) {
                incoming = null;
                sums[incomingIndex] = finished.finish(expected);
            }
            destination.install(offer.files().get(incomingIndex).path(), force);
        }

        private void check(TransferOffer offer, byte[][] sums, String digest) {
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
