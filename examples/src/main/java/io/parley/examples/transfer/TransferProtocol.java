package io.parley.examples.transfer;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;

/**
 * The protocol of sender (S) and receiver (R) in a {@link io.parley.pipes.BidirectionalPipe}. A message contains
 * as many elements as fit into {@value #MESSAGE_BYTES} bytes; the boundaries of messages have no meaning. Numbers are
 * decimal. Digests are SHA-256, in hexadecimal inside a text. The index of a file counts the {@code file} elements of the
 * list from 0.
 *
 * <pre>
 * S: the offer
 *    dir      &lt;path&gt;                    a directory; before its content, which has no other directories
 *    file     &lt;size> &lt;path&gt;             a file
 *    listed   &lt;files&gt; &lt;bytes&gt;           the end of the list
 * R: the requests for digests: of files that may be present at the receiver, each at most once
 *    digests  &lt;index> &lt;length> &lt;step&gt;   the digests of the sender's file, from the start to each multiple of the step and to
 *                                       the length
 *    asked                              the end of these requests
 * S: the responses, in the order of the requests
 *    marks    bytes                     the digests
 * R: the requests for files; those that are not named are sent from their beginning
 *    have     &lt;index&gt;                   this file is present and is the same
 *    from     &lt;index> &lt;offset&gt;          the bytes of this file from there on
 *    go                                 the end of the requests
 * S: the files that the receiver does not have, in the order of the index
 *    begin    &lt;index> &lt;offset&gt;          the offset of the following bytes: 0, or the requested one
 *    data     bytes                     the next bytes
 *    sum      bytes                     the digest of the whole file, after its last byte
 *    done     &lt;digest&gt;                  the digest of a single file; otherwise of a line "&lt;digest>  &lt;path>\\n" for each,
 *                                       as sha256sum prints them
 * R: received &lt;digest&gt;                  all files are verified and in place
 * either ends the conversation
 * </pre>
 *
 * The peer that detects a failure ends the conversation with an error code and a reason. The sender keeps no state of a transfer: after an
 * interruption the receiver asks again about the parts that are present. The receiver compares digests itself, and its reason
 * names no file, so the sender learns nothing about other files of the receiver.
 */
final class TransferProtocol {

    /** The topic of the conversations: the name of the command that joins them. */
    static final String TOPIC = "receive";

    static final String DIR = "dir";
    static final String FILE = "file";
    static final String LISTED = "listed";
    static final String DIGESTS = "digests";
    static final String ASKED = "asked";
    static final String MARKS = "marks";
    static final String HAVE = "have";
    static final String FROM = "from";
    static final String GO = "go";
    static final String BEGIN = "begin";
    static final String DATA = "data";
    static final String SUM = "sum";
    static final String DONE = "done";
    static final String RECEIVED = "received";

    /** Large enough that the cost of a message is negligible, small enough for a heap of a few megabytes. */
    static final int MESSAGE_BYTES = 128 * 1024;

    /** The maximum number of files and directories. The receiver keeps an entry for each of them in memory. */
    static final int MAX_ENTRIES = 200_000;

    /** The maximum length of all names of an offer together, in bytes of UTF-8. */
    static final int MAX_PATH_BYTES = 32 * 1024 * 1024;

    /** The maximum size of the digests that a receiver asks for, in bytes: several for some files, and one for each other file. */
    static final int MAX_DIGEST_BYTES = 4 * 1024 * 1024 + MAX_ENTRIES * Sha256Digests.BYTES;

    private TransferProtocol() {}

    /** Splits a text into fields. The last field may contain spaces. */
    static String[] fields(String text, int count) {
        String[] fields = text.split(" ", count);
        if (fields.length != count) {
            throw violation("'" + text + "': " + fields.length + " fields (expected: " + count + ")");
        }
        return fields;
    }

    static long number(String text, long max) {
        try {
            long number = Long.parseLong(text);
            if (number >= 0 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw violation("number: " + text + " (expected: 0 to " + max + ")");
        }
        throw violation("number: " + text + " (expected: 0 to " + max + ")");
    }

    static ParleyException violation(String fault) {
        return ErrorCode.PROTOCOL_VIOLATION.exception("file transfer: " + fault);
    }
}
