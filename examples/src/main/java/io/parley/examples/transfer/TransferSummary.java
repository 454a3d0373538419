package io.parley.examples.transfer;

/**
 * The totals of a transfer, before or after it.
 *
 * @param title   a title for the user
 * @param files   the number of files
 * @param bytes   the size of all files, in bytes
 * @param omitted the number of symbolic links and other entries that are not sent
 * @param digest  the digest of all files, see {@link TransferProtocol}; empty before they were read
 */
public record TransferSummary(String title, long files, long bytes, int omitted, String digest) {}
