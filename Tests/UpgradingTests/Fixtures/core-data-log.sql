-- the row that is in the -wal only
INSERT INTO ZPERSON (Z_PK,Z_ENT,Z_OPT,ZNAME,ZBIRTHDATE) VALUES(9,2,1,'only in the log',782462929.0);
