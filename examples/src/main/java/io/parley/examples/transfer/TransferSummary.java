package io.parley.examples.transfer;

/**
 * What was, or is to be, transferred.
 *
 * @param title   how it is called in lines for people
 * @param files   how many files
 * @param bytes   their bytes together
 * @param leftOut symbolic links and the like that are not sent
 * @param digest  over all files in order, see {@link TransferProtocol}; empty before they were read
 */
public record TransferSummary(String title, long files, long bytes, int leftOut, String digest) {}
